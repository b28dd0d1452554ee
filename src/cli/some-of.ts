/** Names separated by commas, at most so many of them: "a, b and 7 more". */
export const someOf = (names: readonly string[], shownMax: number): string =>
  names.length <= shownMax
    ? names.join(', ')
    : `${names.slice(0, shownMax).join(', ')} and ${names.length - shownMax} more`

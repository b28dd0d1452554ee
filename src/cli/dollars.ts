/** An amount as the admin interface writes it ("5.00", "-1.00"), for people: "$5.00", "-$1.00". */
export const dollars = (usd: string): string => (usd.startsWith('-') ? `-$${usd.slice(1)}` : `$${usd}`)

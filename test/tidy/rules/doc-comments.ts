import type { Rule } from '../rule.ts'

/** 13: an exported function says what it takes and gives. */
export const docComments: Rule = {
  name: 'doc-comments',
  *check({ code }) {
    for (const file of code) {
      if (!/^(src|tools)\//.test(file.path)) continue
      for (const { name, kind, line, hasDocComment } of file.exports) {
        if (kind === 'function' && !hasDocComment) yield { file: file.path, line, reason: `${name} has no doc comment` }
      }
    }
  },
}

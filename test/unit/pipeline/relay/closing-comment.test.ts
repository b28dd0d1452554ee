import { expect, test } from 'bun:test'
import { closingComment } from '../../../../src/pipeline/relay/closing-comment.ts'
import { timingOf } from '../../../support/exchange-timing.ts'
import { createHouseDouble, type HouseSpec } from '../../../support/house.ts'
import { callAt } from '../support.ts'

function commentOf(spec: HouseSpec, explain = false): string {
  const { call } = callAt(createHouseDouble(spec))
  if (explain) Object.assign(call, { explain: { withEvidence: false } })
  call.clock.attemptBegins()
  call.clock.attemptEnds('north', timingOf('new'))
  return Buffer.from(closingComment(call, call.clock.read())).toString()
}

test('nothing when nobody asked', () => {
  expect(commentOf({})).toBe('')
})

test('the times, where the setting says so; the explanation too for who asked', () => {
  expect(commentOf({ replies: { timingComment: true } })).toMatch(/^: server-timing gw;dur=0\.00.*"north new".*\n\n$/)
  expect(commentOf({}, true)).toMatch(/^: server-timing .*\n: x-anyrouter-explain \{.*\}\n\n$/)
})

test('no name of a backend where they are hidden', () => {
  expect(commentOf({ replies: { timingComment: true, hideBackends: true } })).toContain('desc="new"')
})

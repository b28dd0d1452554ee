import { asGatewayError } from './answer.ts'
import type { Arrival } from './call.ts'
import type { House } from './house.ts'
import { refused } from './refused.ts'
import { beginWork, type Work } from './work.ts'

/** One request from its arrival on: `serve` answers it; what that throws is its answer too, and nothing is charged then. */
export async function withWork(
  house: House,
  arrival: Arrival,
  serve: (work: Work) => Response | Promise<Response>,
): Promise<Response> {
  const work = beginWork(house, arrival)
  try {
    return await serve(work)
  } catch (thrown) {
    return refused(work, asGatewayError(thrown), null)
  }
}

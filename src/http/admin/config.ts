import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { configDoc } from './config-doc.ts'
import type { AdminDeps } from './deps.ts'
import { readBody } from './read-body.ts'

const TEXT_BYTES_MAX = 2 * 1024 * 1024

/** `/config`: what is in effect and where it came from, and whether another text could be used. */
export function config({ config: inEffect, checkConfig }: AdminDeps) {
  return new Elysia()
    .get('/config', () => inEffect(), { detail: operationDoc(configDoc.show) })
    .post(
      '/config/validate',
      async ({ body }) => {
        const problems = await checkConfig(body)
        return { valid: problems.length === 0, problems }
      },
      { body: Type.String(), parse: readText, detail: operationDoc(configDoc.validate) },
    )
}

/** YAML as it is, whatever the content type says. Throws 400, 413. */
async function readText({ request }: { readonly request: Request }): Promise<string> {
  const bytes = await readBody(request, TEXT_BYTES_MAX)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new GatewayError('invalid_request', 'The body is not text in UTF-8: a configuration in YAML is expected.')
  }
}

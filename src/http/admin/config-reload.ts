import { Elysia } from 'elysia'
import { GatewayError } from '../../domain/index.ts'
import { operationDoc } from '../document/operation-doc.ts'
import { configReloadDoc } from './config-reload-doc.ts'
import type { AdminDeps, ReloadOutcome } from './deps.ts'

/** `/config/reload`: reads the configuration again, with every secret it names, and applies all of it or nothing. */
export function configReload({ reload }: AdminDeps) {
  return new Elysia().post(
    '/config/reload',
    async () => {
      if (reload === null)
        throw new GatewayError('conflict', 'No server runs: it reads the configuration when it starts.')
      return answerOf(await reload())
    },
    { parse: 'none', detail: operationDoc(configReloadDoc.reload) },
  )
}

function answerOf(outcome: ReloadOutcome): object {
  if (outcome.kind === 'refused') {
    const message = `The configuration cannot be used, nothing has changed:\n${outcome.words}`
    throw new GatewayError('invalid_configuration', message, { extra: { problems: outcome.problems } })
  }
  const { catalogueVersion, backends, models, aliases, routers, settings, restartNeeded } = outcome.report
  return {
    catalogue_version: catalogueVersion,
    backends,
    models,
    aliases,
    routers,
    settings,
    restart_needed: restartNeeded,
  }
}

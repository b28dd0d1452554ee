import { join } from 'node:path'
import { dialectOf } from '../../../../src/dialects/index.ts'
import { dialectSuite } from '../suite.ts'

dialectSuite(dialectOf('anthropic'), join(import.meta.dir, '../../../fixtures/anthropic'))

import { expect, test } from 'bun:test'
import { makeCertificates } from '../agents/certificates.ts'
import { configOf, problemsOf } from './support.ts'

const YAML = 'network:\n  ca_file: customers.pem\n'

test('the authorities that are trusted at customers’ places', async () => {
  const { caPem } = makeCertificates()
  const { network } = await configOf(YAML, {}, { '/etc/customers.pem': caPem })
  expect(network.caFile).toEqual({ path: 'customers.pem', pem: caPem })
  expect((await configOf('')).network.caFile).toBeNull()
})

test.each([
  ['is not there', {}],
  ['holds no certificate', { '/etc/customers.pem': 'hello' }],
])('a file that %s is told with its place', async (_name, files) => {
  expect(await problemsOf(YAML, {}, files)).toMatchObject([{ path: 'network.ca_file', line: 2 }])
})

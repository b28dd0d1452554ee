/** A set of test files that are run together, and what they are told. */
export interface Lane {
  /** Folders or files, in the order in which they are begun: the slow ones first. */
  readonly paths: readonly string[]
  /** Longer than this, on a machine that does nothing else, and the file fails. */
  readonly fileSecondsMax: number
  /** Given to the tests unless the caller has set them. */
  readonly settings: Readonly<Record<string, string>>
}

const HOUR_SECONDS = 3600

export const LANES: Readonly<Record<string, Lane>> = {
  default: {
    paths: [
      'test/crash',
      'test/executable',
      'test/clients',
      'test/browser',
      'test/property',
      'test/wire',
      'test/cases',
      'test/unit',
      'test/tidy.test.ts',
    ],
    fileSecondsMax: 20,
    settings: { ANYROUTER_RUNS: '100', ANYROUTER_KILLS: '8' },
  },
  browser: { paths: ['test/browser'], fileSecondsMax: 60, settings: {} },
  crash: {
    paths: ['test/crash'],
    fileSecondsMax: HOUR_SECONDS,
    settings: { ANYROUTER_KILLS: '100', ANYROUTER_STREAMS: '200' },
  },
  property: { paths: ['test/property'], fileSecondsMax: HOUR_SECONDS, settings: { ANYROUTER_RUNS: '5000' } },
  fuzz: { paths: ['test/fuzz'], fileSecondsMax: HOUR_SECONDS, settings: { ANYROUTER_RUNS: '20000' } },
  distance: { paths: ['test/bench/distance'], fileSecondsMax: 900, settings: { ANYROUTER_REST_SECONDS: '100' } },
  soak: { paths: ['test/soak'], fileSecondsMax: 8 * HOUR_SECONDS, settings: { ANYROUTER_SOAK_MINUTES: '10' } },
}

/** Their tests need the executable, whatever the others are run against. */
const EXECUTABLE_FOLDERS = [
  'test/crash/',
  'test/executable/',
  'test/clients/',
  'test/browser/',
  'test/fuzz/',
  'test/soak/',
  'test/bench/distance/',
]

/** Whether a test file can only be run against the executable. */
export const needsExecutable = (file: string): boolean => EXECUTABLE_FOLDERS.some((folder) => file.startsWith(folder))

/**
 * Whether a test file may be run in one process with others, each in a global object of its own. Not those that start the
 * whole gateway in each test, or the executable.
 */
export const sharesProcess = (file: string): boolean => file.startsWith('test/unit/')

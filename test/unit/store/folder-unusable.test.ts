import { describe, expect, test } from 'bun:test'
import { FolderUnusable, folderFailure } from '../../../src/store/folder-unusable.ts'

const failure = (code: string) => folderFailure('/data', Object.assign(new Error(`${code}: raw words`), { code }))

describe('why a data folder cannot be used, and what to do', () => {
  test.each([
    ['ENOTDIR', '/data is no folder: name another with --data FOLDER.'],
    ['EEXIST', '/data is no folder: name another with --data FOLDER.'],
    [
      'EACCES',
      '/data may not be read and written by this user: run this as its owner (sudo -u), give it to this one (chown), or name another with --data FOLDER.',
    ],
    [
      'EROFS',
      "/data is on a disk that is read-only: see why ('dmesg' tells of faults), or name another with --data FOLDER.",
    ],
    ['SQLITE_FULL', '/data is on a disk that is full: make room there.'],
    ['ENOSPC', '/data is on a disk that is full: make room there.'],
  ])('%s', (code, message) => {
    const error = failure(code)
    expect(error).toBeInstanceOf(FolderUnusable)
    expect(error).toHaveProperty('message', message)
  })

  test('another error stays as it is', () => {
    const error = new Error('a mistake of ours')
    expect(folderFailure('/data', error)).toBe(error)
    expect(failure('EMFILE')).toHaveProperty('message', 'EMFILE: raw words')
  })
})

/** Runs `store-child.ts` on a data folder; answers its first line, and the process, which may still run. */
export async function storeChild(folder: string, what: string, ...more: string[]) {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/store-child.ts`, folder, what, ...more], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  let text = ''
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    text += chunk
    if (text.includes('\n')) break
  }
  return { child, line: text.trim() }
}

export async function kill(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGKILL')
  await child.exited
}

/** Signs what the webhook of a child is sent. */
export const WEBHOOK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

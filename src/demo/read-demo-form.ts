/** What stands in a form: texts, numbers and booleans as they would in JSON, files by their size. */
export async function readDemoForm(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of await request.formData())
    fields[name] = typeof value === 'string' ? plain(value) : { bytes: value.size }
  return fields
}

const plain = (text: string): unknown =>
  text === 'true' || text === 'false' ? text === 'true' : /^\d{1,15}$/.test(text) ? Number(text) : text

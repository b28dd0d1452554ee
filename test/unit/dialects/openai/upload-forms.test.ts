import { expect, test } from 'bun:test'
import { FORM_OPERATIONS } from '../../../../src/dialects/openai/form-of.ts'
import { uploadForms } from '../../../../src/dialects/openai/upload-forms.ts'

test('each is a form with files, at a path of its own', () => {
  for (const [operation, form] of uploadForms) {
    expect(FORM_OPERATIONS.has(operation)).toBe(true)
    expect(form.path).toBe(`/${operation.replace('.', '/')}`)
    expect(Object.values(form.request.fields)).toContain('file')
  }
})

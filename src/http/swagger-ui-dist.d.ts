/** Imported `with { type: 'file' }`: the path of the file, in the executable too. */
declare module 'swagger-ui-dist/swagger-ui*' {
  const path: string
  // biome-ignore lint/style/noDefaultExport: how a file is imported
  export default path
}

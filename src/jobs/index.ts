export { closeLeaks } from './close-leaks.ts'

export { type Delivery, deliver } from './deliver.ts'

export { frontPage } from './front-page.ts'
export {
  type FrontPageFacts,
  type FrontPageModel,
  type FrontPageRouter,
  type FrontPageSource,
  frontPageFacts,
} from './front-page-facts.ts'
export { swaggerPage } from './swagger-page.ts'

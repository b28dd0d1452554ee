export { frontPage } from './front-page.ts'
export {
  type FrontPageFacts,
  type FrontPageModel,
  type FrontPageRouter,
  type FrontPageSource,
  frontPageFacts,
} from './front-page-facts.ts'
export { keepFrontPage, type WrittenPage } from './keep-front-page.ts'
export { swaggerPage } from './swagger-page.ts'

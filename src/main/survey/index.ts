export { surveyMemory } from './survey.ts'

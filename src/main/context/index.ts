export { assemble, type Assembly, type ContextFile } from './assemble.ts'
export { budgetOf } from './budget.ts'

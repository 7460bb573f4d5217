export { Importer } from './importer.ts'

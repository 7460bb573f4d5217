import { createContext } from 'react'

export const QueryContext = createContext<string | undefined>(undefined)

import { createContext } from 'react'

export const Asked = createContext<string | undefined>(undefined)

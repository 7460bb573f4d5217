/** For which words the answer that is shown looked into memory: what it cites was found for them. */
import { createContext } from 'react'

export const Asked = createContext<string | undefined>(undefined)

import { useEffect, useState, useCallback, useSyncExternalStore } from 'react'

export function useDebounced<T>(value: T, pauseMs: number): T {
  const [debounced, setDebounced] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return debounced
}

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query)
      media.addEventListener('change', listener)
      return () => media.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches)
}

/** Returns whether a part below a button is open, and the attributes of this button. */
export function useDisclosure() {
  const [isOpen, setIsOpen] = useState(false)
  const button = { type: 'button', 'aria-expanded': isOpen, onClick: () => setIsOpen(!isOpen) } as const
  return { isOpen, button }
}

const confirmationMs = 1500

export function useCopy() {
  const [isCopied, setIsCopied] = useState(false)
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text)
    setIsCopied(true)
    setTimeout(() => setIsCopied(false), confirmationMs)
  }
  return { isCopied, copy: (text: string) => void copy(text) }
}

/** Calls `onLeave` when the window loses the focus, is hidden or closes, and when the component unmounts. */
export function useOnLeave(onLeave: () => void | Promise<void>): void {
  useEffect(() => {
    const leave = () => void onLeave()
    const mounted = new AbortController()
    for (const event of ['blur', 'pagehide']) window.addEventListener(event, leave, mounted)
    document.addEventListener('visibilitychange', leave, mounted)
    return () => {
      mounted.abort()
      leave()
    }
  }, [onLeave])
}

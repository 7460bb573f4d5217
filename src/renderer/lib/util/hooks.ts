import { useEffect, useState, useCallback, useSyncExternalStore } from 'react'

/** Returns the value once it has not changed for `pauseMs`. */
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

const confirmationMs = 1500

export function useCopy(): { readonly isCopied: boolean; readonly copy: (text: string) => void } {
  const [isCopied, setIsCopied] = useState(false)
  const copy = (text: string) => {
    void navigator.clipboard.writeText(text).then(() => {
      setIsCopied(true)
      setTimeout(() => setIsCopied(false), confirmationMs)
    })
  }
  return { isCopied, copy }
}

/** Calls `onLeave` when the window loses the focus, is hidden or closes, and when the component unmounts. */
export function useOnLeave(onLeave: () => void | Promise<void>): void {
  useEffect(() => {
    const leave = () => void onLeave()
    const controller = new AbortController()
    const { signal } = controller
    window.addEventListener('blur', leave, { signal })
    window.addEventListener('pagehide', leave, { signal })
    document.addEventListener('visibilitychange', leave, { signal })
    return () => {
      controller.abort()
      leave()
    }
  }, [onLeave])
}

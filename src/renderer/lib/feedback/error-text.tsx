import { explainError } from './explain.ts'

interface ErrorTextProps {
  readonly error: Error | null
  readonly explain?: (error: Error) => string
  readonly id?: string
}

/** Shows the sentence for an error; nothing without an error. */
export function ErrorText({ error, explain = explainError, id }: ErrorTextProps) {
  if (!error) return null
  return (
    <p id={id} role="alert" className="wrap-anywhere text-bad">
      {explain(error)}
    </p>
  )
}

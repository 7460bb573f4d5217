/** Creates the `Intl.Segmenter` on first use: the first one in a thread takes 10 ms. */
export function segmenter(
  locale: string | undefined,
  granularity: 'word' | 'sentence',
): Pick<Intl.Segmenter, 'segment'> {
  let instance: Intl.Segmenter | undefined
  return {
    segment(text) {
      instance ??= new Intl.Segmenter(locale, { granularity })
      return instance.segment(text)
    },
  }
}

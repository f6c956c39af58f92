/** Puts words into the places of a sentence: `Speaks for it: {list}.` */
export function fillTemplate(template: string, words: Readonly<Record<string, string | number>>): string {
  return template.replace(/\{(\w+)\}/g, (_, place: string) => String(words[place] ?? ''));
}

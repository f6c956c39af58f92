// The words for units of time in the three languages. Readers of durations, ages and amounts add the short forms of their own texts.

export const TIME_WORDS = {
  second: 'second seconds segundo segundos',
  minute: 'min mins minute minutes minuto minutos',
  hour: 'h hr hrs hour hours hora horas',
  day: 'day days dia dias',
  week: 'wk wks week weeks semana semanas',
  month: 'month months mes meses',
  year: 'yr yrs year years ano anos',
} as const;

/** Each word with its value: `unitMap([[TIME_WORDS.day, 1]])` has `day`, `days`, `dia` and `dias`. */
export function unitMap(lists: readonly (readonly [words: string, value: number])[]): ReadonlyMap<string, number> {
  return new Map(lists.flatMap(([words, value]) => words.split(' ').map((word) => [word, value] as const)));
}

// The words of numbers in the three languages: `thirty eight point five`, `treinta y ocho y medio`, `cento e vinte`. What a number is a
// value of is read in measures.ts.
import { LANGUAGES, type Language } from '../../domain/language.ts';

/** What a word adds: `hundred` and `thousand` multiply the number before them. */
export type NumberWord = {
  readonly value: number;
  readonly kind: 'digit' | 'teen' | 'ten' | 'hundreds' | 'hundred' | 'thousand';
};

type Words = {
  /** Zero to nineteen in their order; a bar separates several forms of one. */
  readonly small: string;
  /** Twenty to ninety. */
  readonly tens: string;
  readonly hundreds: string;
  readonly others: Readonly<Record<string, NumberWord>>;
  /** The word that joins two parts of one number. */
  readonly joiner: string;
  readonly points: readonly string[];
  /** Words for a point that often mean something else. */
  readonly loosePoints: readonly string[];
  readonly halves: readonly string[];
  /** Words that mean one if a unit follows: `a week`. */
  readonly articles: readonly string[];
  /** Two of something: `a couple of hours`. */
  readonly couples: readonly string[];
  /** A quarter, if a unit follows: `cuarto de hora`. */
  readonly quarters: readonly string[];
};

const thousand: NumberWord = { value: 1000, kind: 'thousand' };
const fixed = (value: number): NumberWord => ({ value, kind: value < 20 ? 'teen' : 'ten' });

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    small:
      'zero|oh one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    tens: 'twenty thirty forty fifty sixty seventy eighty ninety',
    hundreds: '',
    others: { hundred: { value: 100, kind: 'hundred' }, thousand },
    joiner: 'and',
    points: ['point'],
    loosePoints: [],
    halves: ['half'],
    articles: ['a', 'an'],
    couples: ['couple'],
    quarters: ['quarter', 'quarters'],
  },
  es: {
    small:
      'cero un|uno|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve',
    tens: 'veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa',
    hundreds:
      'cien|ciento doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas quinientos|quinientas seiscientos|seiscientas setecientos|setecientas ochocientos|ochocientas novecientos|novecientas',
    others: {
      mil: thousand,
      ...Object.fromEntries(
        'veintiun|veintiuno|veintiuna veintidos veintitres veinticuatro veinticinco veintiseis veintisiete veintiocho veintinueve'
          .split(' ')
          .flatMap((forms, index) =>
            forms.split('|').map((word) => [word, { value: 21 + index, kind: 'teen' }] as const),
          ),
      ),
    },
    joiner: 'y',
    points: ['punto', 'coma'],
    loosePoints: ['con'],
    halves: ['medio', 'media'],
    articles: [],
    couples: ['par'],
    quarters: ['cuarto', 'cuartos'],
  },
  pt: {
    small:
      'zero um|uma dois|duas tres quatro cinco seis sete oito nove dez onze doze treze quatorze|catorze quinze dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove',
    tens: 'vinte trinta quarenta cinquenta sessenta setenta oitenta noventa',
    hundreds:
      'cem|cento duzentos|duzentas trezentos|trezentas quatrocentos|quatrocentas quinhentos|quinhentas seiscentos|seiscentas setecentos|setecentas oitocentos|oitocentas novecentos|novecentas',
    others: { mil: thousand },
    joiner: 'e',
    points: ['virgula', 'ponto'],
    loosePoints: ['com', 'e'],
    halves: ['meio', 'meia'],
    articles: [],
    couples: ['par'],
    quarters: ['quarto', 'quartos'],
  },
};

export type NumberWords = {
  readonly words: ReadonlyMap<string, NumberWord>;
  readonly joiner: string | undefined;
  readonly points: ReadonlySet<string>;
  readonly loosePoints: ReadonlySet<string>;
  readonly halves: ReadonlySet<string>;
  readonly articles: ReadonlySet<string>;
  readonly couples: ReadonlySet<string>;
  readonly quarters: ReadonlySet<string>;
  /** True if 1.000 may be a thousand and 1,5 is one and a half. */
  readonly hasDecimalComma: boolean;
};

const LANGUAGES_OF_NUMBERS: Readonly<Record<Language, NumberWords>> = {
  en: compile('en'),
  es: compile('es'),
  pt: compile('pt'),
};
/** In an unknown language only digits are read. */
const DIGITS_ONLY: NumberWords = {
  words: new Map(),
  joiner: undefined,
  points: new Set(),
  loosePoints: new Set(),
  halves: new Set(),
  articles: new Set(),
  couples: new Set(),
  quarters: new Set(),
  hasDecimalComma: true,
};

export function numbersIn(language: Language | undefined): NumberWords {
  return language === undefined ? DIGITS_ONLY : LANGUAGES_OF_NUMBERS[language];
}

function compile(language: Language): NumberWords {
  const { small, tens, hundreds, others, joiner, points, loosePoints, halves, articles, couples, quarters } =
    WORDS[language];
  const listed = (list: string, toWord: (index: number) => NumberWord) =>
    list.split(' ').flatMap((forms, index) => forms.split('|').map((form) => [form, toWord(index)] as const));
  const words = new Map<string, NumberWord>([
    ...listed(small, (index) => (index < 10 ? { value: index, kind: 'digit' } : fixed(index))),
    ...listed(tens, (index) => fixed(20 + 10 * index)),
    ...listed(hundreds, (index) => ({ value: 100 * (index + 1), kind: 'hundreds' })),
    ...Object.entries(others),
  ]);
  words.delete('');
  return {
    words,
    joiner,
    points: new Set(points),
    loosePoints: new Set(loosePoints),
    halves: new Set(halves),
    articles: new Set(articles),
    couples: new Set(couples),
    quarters: new Set(quarters),
    hasDecimalComma: language !== 'en',
  };
}

/** Words from one to twelve in any of the languages, for texts in which they stay words. */
export const SMALL_NUMBERS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap((language) =>
    Array.from(numbersIn(language).words, ([word, { value }]) => [word, value] as const),
  ).filter(([, value]) => value >= 1 && value <= 12),
);

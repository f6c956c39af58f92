// Words of a note that make of a thing an act: `ECG requested`, `referred to ENT`; and those of acts that no table lists.
import { makePhraseSet, type PhraseSet } from '../../../../clinical-text/cues/phrase-set.ts';
import type { Language } from '../../../language.ts';

type Words = {
  /** Behind or before what is ordered. */
  readonly ordering: string;
  readonly referring: string;
  /** Another person than the patient, or an earlier time. */
  readonly hedging: string;
};

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    ordering:
      'request*|order*|repeat*|arrange*|book*|send*|sent|check*|organis*|organiz*|for urgent|awaiting|to do|needs|schedul*|plan|obtain*|not indicated|indicated|not needed|not required|no need',
    referring:
      'refer*|r / v|rv|review*|seen by|to see|see|appt|appointment*|clinic|follow*|f / u|fu|input|opinion|consult*|informed|discuss* with|team|will see|book*',
    hedging:
      'if|unless|consider|review|reassess|plan*|pending|awaiting|may|might|possibl*|offer*|discuss*|likely|option|prn|or|until|when|aim|?|poss|advice|to be',
  },
  es: {
    ordering:
      'solicit*|pid*|se pide*|repet*|se repit*|repit*|indic*|pendiente|orden*|se envia|cursa*|se cursa|control|precisa|requiere|realizar|programa*|tomar|se toma',
    referring:
      'deriv*|interconsult*|ic|i / c|valoracion|control|cita*|remit*|remision|revision|evaluacion|evalu*|envio|consulta|canaliz*|referencia|ve',
    hedging:
      'si|al|a la|valorar|reevaluar|pendiente|plan*|previ*|considera*|posible|posibilidad|ofrec*|opcion|plante*|o|probable|cuando|prevision|hasta|?|segun',
  },
  pt: {
    ordering:
      'solicit*|ped*|peco|repet*|colet*|colh*|aguard*|agend*|control*|realizar|program*|indicad*|dispensad*|precisa|necessita',
    referring:
      'encaminh*|avaliacao|interconsulta|retorno|consulta|ambulatorio|parecer|acompanhamento|seguimento|revisao|avaliad*|agendad*|contrarreferencia',
    hedging:
      'se|caso|na|a|considerar|avaliar|reavaliar|pendente|plane*|previ*|possivel|possibilidade|oferecid*|opcao|ou|provavel|quando|previsao|discutid*|ate|?',
  },
};

const SETS = Object.fromEntries(
  Object.entries(WORDS).map(([language, words]) => [
    language,
    Object.fromEntries(Object.entries(words).map(([name, list]) => [name, makePhraseSet(list)])),
  ]),
) as unknown as Readonly<Record<Language, Readonly<Record<keyof Words, PhraseSet>>>>;

export function actCuesOf(language: Language): Readonly<Record<keyof Words, PhraseSet>> {
  return SETS[language];
}

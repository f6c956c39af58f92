// The words for changes of drugs. A bar is between the phrases; see phrase-set.ts. Those of `spoken` are too vague for a note.
import { makePhraseSet, type PhraseSet } from '../../../../clinical-text/cues/phrase-set.ts';
import { LANGUAGES, type Language } from '../../../language.ts';

/** `same`: it goes on as it is; `switch`: one drug for another. Words in two lists may mean both. */
export const CHANGES = ['start', 'stop', 'more', 'less', 'same', 'switch'] as const;
export type Change = (typeof CHANGES)[number];
type Words = Readonly<Record<Change, { readonly noted: string; readonly spoken: string }>>;

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    start: {
      noted: 'start*|commenc*|initiat*|begin|begun|began|added|add|restart*|resum*',
      spoken: 'put you on|put him on|put her on|try you on|give you|ill give|well give|well use|prescri*',
    },
    stop: {
      noted:
        'stop|stopped|stopping|stops|discontinu*|ceas*|withdrawn|withheld|withhold|held|hold|pause*|omit*|suspend*|taken off|self discontinued',
      spoken:
        'come off|came off|coming off|take you off|took me off|took him off|took her off|leave that off|leave it off|gave up|given up|skip|dont take|doesnt take|didnt take|not taking|havent taken|any more|no longer|without|off the|quit|holding|leave out|cut out|no more|not any more',
    },
    more: {
      noted: 'increas*|uptitrat*|up - titrat*|doubl*|raised|titrated up',
      spoken:
        'put up|put it up|up to|go up|going up|went up|put the|bring up|bring it up|go up on|higher|raise|raising|more of|turn up',
    },
    less: {
      noted: 'reduc*|decreas*|lower*|taper*|wean*|halv*|downtitrat*|down - titrat*',
      spoken: 'bring down|bring it down|down to|go down|going down|cut|cutting|bring the|less of|come down|half',
    },
    same: {
      noted: 'continu*|maintain*|remain on|unchanged|to stay on|same dose',
      spoken:
        'carry on|keep|stay on|goes on|go on|keeps|as it is|as before|as usual|the same|still take|still takes|still taking|leave the',
    },
    switch: { noted: 'switch*|swap*|chang*|replac*|substitut*|convert*', spoken: 'instead of' },
  },
  es: {
    start: {
      noted: 'inici*|empez*|empiez*|comenz*|comienz*|agreg*|anad*|introduc*|instaur*|se pauta|reinici*',
      spoken: 'le doy|te doy|le receto|te receto|le mando|le pongo|te agrego|ponemos',
    },
    stop: {
      noted: 'suspend*|retir*|interrump*|discontinu*|deja de tomar|abandon*|cese|se omite|se quita',
      spoken:
        'quit*|deje|dejo|dejar|dejado|lo dejaste|lo dejamos|la dejamos|pare|paro|parar|paramos|no la tom*|no lo tom*|no tom*|ya no|sacar*|saco|sacamos|salt*|no me la|no me lo|no se lo|no se la|ni uno mas|ni una mas|nunca mas|basta de',
    },
    more: {
      noted: 'aument*|increment*|dobl*|se sube|subir|asciend*|titula al alza|duplic*',
      spoken: 'sube*|subi*|suba*|subo|mas dosis|doble|pasa a|pasamos a|va a',
    },
    less: {
      noted: 'reduc*|dismin*|se baja|bajar|descend*|desescal*|destete|pauta descendente',
      spoken: 'baje*|bajar*|baja|bajo|bajamos|menos dosis|la mitad|mitad|media|medio|pasa a|pasamos a|va a',
    },
    same: {
      noted: 'continu*|manten*|mantien*|se mantiene|sigue con|sin cambios|prosigue',
      spoken:
        'sigue|siga|siguen|sigan|seguimos|seguir*|igual|como esta|la misma dosis|como siempre|tiene que seguir|lo dejamos|la dejamos',
    },
    switch: { noted: 'cambi*|sustitu*|reemplaz*|rota a', spoken: 'en lugar de|en vez de' },
  },
  pt: {
    start: {
      noted: 'inici*|comec*|acrescent*|introduz*|adicion*|associ*|reinici*|prescrit*',
      spoken: 'vou dar|vou passar|vou receitar|receit*|te dou|vou deixar|ja deixo',
    },
    stop: {
      noted: 'suspend*|suspens*|interromp*|retirad*|retirar|descontinu*|parou de|cess*|abandon*|omitid*',
      spoken:
        'pare|parei|parou|parar|paramos|larg*|deixei|deixou|deixar de|tir*|nao tom*|nao uso|nao usa|ja nao|pulei|nao toma mais|cort*|nunca mais|nem mais|chega de',
    },
    more: {
      noted: 'aument*|elev*|dobr*|increment*|titulad*|subir',
      spoken: 'sobe*|suba*|subi*|subo|passo para|passa para|passamos para|vai para|vamos para|mais dose|dobro',
    },
    less: {
      noted: 'reduz*|reduc*|diminu*|desmam*|baixad*',
      spoken: 'baix*|passa de|passo para|passa para|passamos para|vai para|vamos para|menos dose|metade|meio|desce*',
    },
    same: {
      noted: 'mant*|continu*|segue com|sem alteracao|sem mudancas',
      spoken: 'fica como|fica igual|continu*|segue|a mesma|como esta|como sempre|igual',
    },
    switch: { noted: 'troc*|substitu*|mudad*', spoken: 'no lugar de|em vez de|mud*' },
  },
};

export type ChangeWords = Readonly<Record<Change, PhraseSet>>;
type Sets = Readonly<Record<Language, ChangeWords>>;

export const NOTED_CHANGES = setsOf(({ noted }) => noted);
export const SPOKEN_CHANGES = setsOf(({ noted, spoken }) => `${noted}|${spoken}`);

function setsOf(listOf: (words: Words[Change]) => string): Sets {
  return Object.fromEntries(
    LANGUAGES.map((language) => [
      language,
      Object.fromEntries(CHANGES.map((change) => [change, makePhraseSet(listOf(WORDS[language][change]))])),
    ]),
  ) as unknown as Sets;
}

// The words that identify a language: function words and words of charts. A last list holds words of other languages, so that French or
// Italian is not taken for Spanish.
import type { Language } from '../../domain/language.ts';

const EN =
  'the and with was were has have had he she his her they their my this that these those been being not does did which who what when where for ' +
  'from since after before but very some any year years old day days week weeks month months ago yesterday today last night pain patient denies ' +
  'history of on at it is are i im ive we you your yo feels feeling feel without no or to in an by up out all well also there then than just about ' +
  'got get can cant dont didnt doesnt would could should will took taking take worse better started onset presents presented presenting reports ' +
  'complains hours morning right left left upper lower mild severe sudden chest fever cough man woman male female boy girl mum dad mother father ' +
  'says said noticed still now went came over into off him them both between during until while because please hello thanks if so how';
const ES =
  'el los las del una y con sin pero muy fue ha han hace desde ayer hoy anos ano dias dia semana semanas mes meses hora horas paciente dolor fiebre ' +
  'tos niega refiere presenta tiene tengo tuvo su sus mi le lo al en es esta estoy eso esa este porque cuando donde tambien ya mas menos noche manana ' +
  'tarde mujer hombre varon nino nina madre padre hijo hija acude consulta izquierdo izquierda derecho derecha derecha no ni se me si son ' +
  'estaba habia unos unas otro otra despues antes hasta sobre entre nada algo mucho mucha tomo toma siento siente duele cabeza pecho barriga ' +
  'dificultad vomitos vomito nauseas diarrea sangre antecedentes ta fc fr afebril exploracion ella ellos nos les hay he un la que';
const PT =
  'o os as um uma e com sem mas muito foi ha desde ontem hoje anos dias dia semana semanas mes meses hora horas paciente dor febre tosse nega refere ' +
  'apresenta tem tenho teve seu sua seus suas meu minha no na nos nas do da dos das ao aos pelo pela em esta estou isso essa esse porque quando onde ' +
  'tambem ja mais menos noite manha tarde mulher homem menino menina mae pai filho filha esquerdo esquerda direito direita nao nem ' +
  'estava tinha outro outra depois antes ate sobre entre nada algo muita tomou toma sinto sente doi cabeca peito barriga ele ela eles voce ' +
  'dificuldade vomitos vomito nauseas diarreia sangue antecedentes pa fc fr afebril exame pra pro num numa lhe la que se me evolui queixa eu ou';
const OTHERS =
  // French
  'le les des une est et dans pour pas qui sur avec je il elle nous vous depuis mais sont cette ses aux jours fievre toux douleur ans patiente homme femme ' +
  // Italian
  'il lo gli di che non per sono della dello nel nella alla dal anni giorni febbre tosse dolore ha con da paziente uomo donna ed anche ' +
  // German
  'der die das und ist mit nicht ein eine seit ich er sie auf fur von zu dem den im hat patient jahre tagen fieber husten schmerzen keine ' +
  // Dutch, Polish, Romanian, Catalan, Swedish
  'het een van en niet ik hij zij voor jaar dagen koorts hoesten nie jest sie na od i w z do ma lat dni goraczka kaszel si de la cu este sunt nu din ' +
  'zile febra tuse amb els una dels aquest febre dies och att det som har inte med feber hosta';

/** Endings that only one of the three languages has, for words of six letters and more. */
export const ENDINGS: Readonly<Record<Language, readonly string[]>> = {
  en: ['ing', 'tion', 'ness', 'ache', 'ght', 'ful', 'ous', 'ly'],
  es: ['cion', 'ciones', 'dad', 'miento', 'uelo', 'eza', 'ido', 'iendo'],
  pt: ['cao', 'coes', 'oes', 'agem', 'inho', 'inha', 'eira', 'eiro', 'endo', 'mento'],
};

/** Letters that only one of the three languages has. */
export const LETTERS: readonly (readonly [Language, RegExp])[] = [
  ['es', /[ñ¿¡]/i],
  ['pt', /[ãõçâêô]/i],
];

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const FUNCTION_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: words(EN),
  es: words(ES),
  pt: words(PT),
};
export const OTHER_WORDS: ReadonlySet<string> = words(OTHERS);

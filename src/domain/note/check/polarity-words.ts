// The words that decide if a finding is denied or only possible, for the three languages at once.

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** These deny a whole list: `denies fever, cough, …`. */
export const STRONG_CUES = setOf(
  'denies denied deny denying without negative niega niegan nego negaba negando niego sin ausencia negativo negativa nega negou sem',
);
export const WEAK_CUES = setOf(
  'no not never none nor neither nothing dont doesnt didnt havent hasnt hadnt isnt arent wasnt werent wont nunca ningun ninguna ninguno tampoco ni jamas nao nenhum nenhuma nem jamais tampouco',
);
export const CHAIN_LINKS = setOf(', or nor and / y o u ni e ou nem');
/** These words end a denial. */
export const STOPS = setOf(
  'but except however although though yet yes just only reports reported endorses complains admits positive change changes improvement better relief difference because started since pero excepto salvo aunque sino solo solamente cambio cambios mejoria mejora alivio porque refiere reporta desde sí mas porem exceto embora apenas so mudanca melhora relata sim apesar',
);
/** These end it, too, unless they are denied themselves: `I do not have`. */
export const HAVING = setOf(
  'have has had having got feel feels tengo tiene tuvo siento tenho tem teve sinto sente presenta presento apresenta',
);
export const NOT_KNOWING = setOf(
  'know sure remember certain doubt se sabe saber seguro segura sei certeza lembro recuerdo only solo so',
);
export const CONDITIONS = setOf(
  'if unless case should may might could cause causes causing risk effect effects watch monitor call return worry si caso puede podria pueden causar causa efecto efectos riesgo vigile llame llamar regrese vuelva avise se pode poderia podem efeito efeitos risco ligue volte observe avisar',
);
export const FAMILY = setOf(
  'mother father brother sister wife husband son daughter family grandmother grandfather uncle aunt madre padre hermano hermana esposa esposo hijo hija familia abuela abuelo mae pai irmao irma marido filho filha avo tio tia',
);
export const AFTERWARDS = setOf('no nao none negative negativo negativa denied absent ausente niega nega');
export const MUCH = setOf('mucha mucho muy tan tanta tanto muito muita tao much very');

// The words of dosages in three languages, folded. Each unit has the most that one dose can be: far above any right dose, so that only
// what cannot be meant is refused.

export type AmountUnit = { readonly name: string; readonly most: number };

const AMOUNTS: readonly (readonly [name: string, most: number, words: string])[] = [
  ['g', 100, 'g gr gram grams gramme grammes gramo gramos grama gramas'],
  ['mg', 20_000, 'mg mgs milligram milligrams milligramme milligrammes miligramo miligramos miligrama miligramas'],
  [
    'mcg',
    20_000,
    'mcg mcgs ug µg μg microgram micrograms microgramme microgrammes microgramo microgramos micrograma microgramas',
  ],
  ['ng', 1_000_000, 'ng nanogram nanograms nanogramo nanogramos nanograma nanogramas'],
  ['ml', 5000, 'ml mls cc milliliter milliliters millilitre millilitres mililitro mililitros'],
  ['l', 60, 'l lt liter liters litre litres litro litros'],
  ['unit', 30_000_000, 'unit units u iu ui ius unidad unidades unidade'],
  ['megaunit', 30, 'mu mui miu megaunit megaunits'],
  ['mmol', 1000, 'mmol mmols millimole millimoles milimol milimoles mmoles'],
  ['meq', 1000, 'meq meqs milliequivalent milliequivalents miliequivalente miliequivalentes'],
  ['kcal', 5000, 'kcal'],
  ['%', 100, '% percent porciento'],
  ['drop', 60, 'drop drops gtt gtts gota gotas'],
  [
    'puff',
    20,
    'puff puffs inhalation inhalations actuation actuations inhalacion inhalaciones inalacao inalacoes pulsacion pulsaciones disparo disparos jato jatos bombada bombadas',
  ],
  ['spray', 12, 'spray sprays atomizacion atomizaciones pulverizacion pulverizaciones borrifada borrifadas'],
  [
    'tablet',
    20,
    'tablet tablets tab tabs pill pills capsule capsules cap caps caplet caplets comprimido comprimidos comp tableta tabletas pastilla pastillas capsula capsulas gragea grageas dragea drageas pildora pildoras pilula pilulas lozenge lozenges',
  ],
  [
    'spoon',
    10,
    'teaspoon teaspoons tsp tablespoon tablespoons tbsp cucharada cucharadas cucharadita cucharaditas colher colheres scoop scoops medida medidas',
  ],
  ['sachet', 12, 'sachet sachets sache saches packet packets sobre sobres saqueta saquetas envelope envelopes'],
  ['patch', 6, 'patch patches parche parches adesivo adesivos'],
  ['suppository', 6, 'suppository suppositories pessary pessaries supositorio supositorios ovulo ovulos enema enemas'],
  [
    'ampoule',
    30,
    'ampoule ampoules ampule ampules amp vial vials ampolla ampollas ampola ampolas frasco-ampola pen pens syringe syringes jeringa jeringas seringa seringas',
  ],
  [
    'application',
    12,
    'application applications aplicacion aplicaciones aplicacao aplicacoes ftu ftus fingertip fingertips strip strips',
  ],
  ['cm', 50, 'cm inch inches'],
  ['bolus', 10, 'bolus boluses bolo bolos injection injections inyeccion inyecciones injecao injecoes nebule nebules'],
  ['joule', 400, 'j joule joules'],
];

export const AMOUNT_UNITS: ReadonlyMap<string, AmountUnit> = new Map(
  AMOUNTS.flatMap(([name, most, words]) => words.split(' ').map((word) => [word, { name, most }] as const)),
);

/** The most of one dose for each kilogram of the body. */
export const MOST_PER_KG: Readonly<Record<string, number>> = {
  g: 5,
  mg: 1000,
  mcg: 1000,
  ml: 100,
  unit: 500_000,
  mmol: 20,
  meq: 20,
  j: 10,
  drop: 5,
};

const SECONDS: readonly (readonly [seconds: number, words: string])[] = [
  [1, 's sec secs second seconds seg segundo segundos'],
  [60, "min mins minute minutes minuto minutos '"],
  [3600, 'h hr hrs hour hours hourly hora horas hs'],
  [86_400, 'd day days dia dias night nights noche noches noite noites'],
  [604_800, 'wk wks week weeks semana semanas sem'],
  [2_592_000, 'month months mes meses'],
  [31_536_000, 'year years yr yrs ano anos'],
];
/** Seconds of each unit of time. */
export const TIME_UNITS: ReadonlyMap<string, number> = new Map(
  SECONDS.flatMap(([seconds, words]) => words.split(' ').map((word) => [word, seconds] as const)),
);

/** What an amount can be divided by, other than a time. */
export const DENOMINATORS: ReadonlySet<string> = new Set([
  ...AMOUNT_UNITS.keys(),
  ...'kg kilo kilos kilogram kilogramo quilograma quilo dose doses dosis toma tomas m2 m² m body bsa dl eye ojo olho nostril fosa narina side'.split(
    ' ',
  ),
]);

/** What may be behind a number in place of a unit: times, routes, and the words that go on with the sentence. */
export const WORDS_BEHIND_NUMBERS: ReadonlySet<string> = new Set(
  [
    'dose doses dosis time times vez veces vezes times toma tomas cycle cycles ciclo ciclos course courses injection',
    'once twice daily nightly weekly monthly hourly every each per bd bid tid tds qid qds od qd qds prn stat sos hs nocte mane ac pc',
    'am pm po iv im sc sl pr vo ev in neb subcut oral orally sublingual intravenous intramuscular oclock',
    'to or and then up for if with without as at by on of from over under until when after before the a an more total maximum max plus',
    'older above below years-old consecutive divided separate equal single alternate additional hourly half days-on',
    'o y u e a de del al en por para si con sin hasta cada luego despues antes seguido segun mas total maximo la el las los un una unos diarias diarios diaria diario',
    'consecutivos consecutivas divididas dividido repartidos repartidas separadas seguidos semanales al-dia primeras ultimas',
    'ou ate em com sem apos depois segundo mais ao aos no na nos nas do da dos das um uma diarios diarias divididos primeiras seguidas',
    'ds ss xr xl sr er mr ir mmhg bpm lpm cmh2o x × fold st nd rd th o.d. age edad idade percentile stage week breakfast bedtime',
  ].flatMap((line) => line.split(' ')),
);

/** With one of these an amount may be given for each minute or hour, and again within the hour. */
export const INFUSION =
  /\b(?:infus\w*|perfus\w*|continuous\w*|continua\w*|continuo|drip|titrat\w*|goteo|gotejamento|pump|bomba|pca|patch\w*|parche\w*|adesivo\w*|transderm\w*|oxygen|oxigen\w*|o2|nasal cannula|canula)\b/;
export const INTRAVENOUS = /\b(?:iv|ev|intraveno\w*|endoveno\w*|i\.v\.|e\.v\.|intraosse\w*)(?![a-z])/;
/** Given again within the hour in an emergency until it works, by every guideline of resuscitation. */
export const RESUSCITATION =
  /\b(?:cpr|rcp|resuscitation|reanimacion|reanimacao|cardiac arrest|paro cardiaco|parada cardiaca|parada cardiorrespirat\w*|pcr)\b/;
/** Given again if the first dose did not help, as an injection: "repeat every 5–15 minutes as needed". */
export const REPEATED_IF_NEEDED =
  /\b(?:im|iv|ev|io|intramusc\w*|intraven\w*|endoven\w*)\b[\s\S]{0,200}\brepe?[at]\w*[\s\S]{0,60}\b(?:needed|necessary|required|response|improvement|prn|precisa|necesario|necesita|respuesta|mejoria|mejora|necessario|resposta|melhora)\b/;

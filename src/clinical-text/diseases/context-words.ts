// Words of a name that say how, when or how surely a patient has a disease, and not which one. Each is listed by the key of its spelling.
import { spellingKey } from './spelling-key.ts';

function keysOf(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/).map(spellingKey));
}

const LITTLE_WORDS = `a an the of to in on at by for from with and or due as is has
  el la los las un una de del al en con por para y e o u que su a causa debido debida
  o os as ou um uma do da dos das ao no na nos nas em com sem por para pelo pela devido devida causado causada caused that which que
  secondary secundario secundaria secundarios type tipo other another otro otra otros otras outro outra outros outras mellitus`;

/** They change neither the disease nor its code. */
const DOUBT_WORDS = `suspected suspect suspicion possible possibly probable probably likely presumed presumptive presumptively query
  rule out ruled vs versus consider exclude differential provisional working
  sospecha sospechoso posible probable presunto presuntiva descartar descarte impresion diagnostico diagnosis diagnostic
  suspeita suspeito possivel provavel presumivel descartar excluir hipotese afastar esclarecer aclarar estudio estudo estudar`;
const UNSPECIFIED_WORDS = `unspecified nos specified elsewhere classified nec site cause unknown organism
  especificado especificada inespecifico inespecifica sitio causa desconocida origen origem desconhecida especificacion especificacao parte
  noespecificado especificar idiopathic idiopatico idiopatica`;
const DEGREE_WORDS = `acute aguda agudo agudas agudos subacute subaguda subagudo severe grave graves mild leve leves moderate moderada moderado
  severa severo intense intensa intenso serious simple simples uncomplicated complicada nocomplicada community acquired adquirida adquirido
  comunidad comunidade hospital nosocomial intenso new onset active activa ativa
  symptomatic asymptomatic sintomatico asintomatica assintomatica episode episodio early late mild-to-moderate`;
/** The phase of a disease: a patient in an attack is treated otherwise than one with the same disease at rest. */
const PHASE_WORDS = `exacerbation exacerbacion exacerbado exacerbada exacerbacao reagudizado reagudizada descompensada descompensado
  decompensated controlled uncontrolled controlada controlado descontrolada descontrolado crisis crise attack ataque stable estable estavel`;
/** They matter for sameness, and not for the code. */
const OTHER_DETAILS = `chronic cronica cronico cronicas cronicos recurrent recurrente recorrente relapse relapsing persistent persistente
  remission remision remissao right left bilateral derecha derecho dcha dcho izquierda izquierdo izq izqda direita direito esquerda esquerdo
  unilateral both ambos ambas primary primaria primario initial inicial mayor major minor menor small large generalized generalizada
  localized localizada disease enfermedad doenca disorder trastorno transtorno perturbacao disturbio syndrome sindrome patient paciente
  adult adulto adulta child nino nina crianca man woman mujer hombre mulher homem male female stage grade estadio grado estagio grau
  history known conocida conocido conhecida previous previo previa anterior upper lower superior inferior common comum comun status estado
  infection infeccion infeccao inflammation inflamacion inflamacao pain dolor dor lesion lesao associated asociada associada asociado
  associado high low elevated raised elevado elevada elevados elevadas alto alta altos altas bajo baja baixo baixa related relacionado relacionada cuadro quadro condition state finding benign benigna benigno lateral medial proximal distal aura erythematosus eritematoso systemic sistemico spontaneous
  espontaneo espontanea rapid rapida rapido intermittent intermitente ventricular response respuesta resposta single multiple multiples multiplo
  dilated dilatada classic clasico classico complete completo completa partial parcial incomplete total visceral deep profunda profundo
  ruptured roto rota rupture orthostatic postural internal external interna externa interno externo impacted paroxysmal paroxistica
  paroxistico progressive progresiva progressiva dry seca seco functional funcional idiopathic fatal near outer inner well usual cycle
  ischemic isquemico isquemica tract tracto trato wall pared parede laryngeal laringeo reactive reactiva reativa obstructive obstructiva
  obstrutiva dysfunction disfuncion disfuncao phenomenon fenomeno organ wave type form forma specific nonspecific refractory refractario
  residual transient transitorio transitoria ascending following ou first second third degree grado week weeks semanas i ii iii iv`;

const NEGATIONS = 'without not no non sin sem nao';
const DISEASE_WORDS =
  'disease disorder illness condition enfermedad doenca trastorno transtorno perturbacao afeccion afeccao mal';

const LITTLE = keysOf(LITTLE_WORDS);
const DOUBT = keysOf(DOUBT_WORDS);
const UNSPECIFIED = keysOf(UNSPECIFIED_WORDS);
const DEGREE = keysOf(DEGREE_WORDS);
const DETAILS = keysOf(`${PHASE_WORDS} ${OTHER_DETAILS}`);
const NEGATION = keysOf(NEGATIONS);
const DISEASE = keysOf(DISEASE_WORDS);

type Keyed = { readonly key: string };

/** Without "not specified" and "rule out", whose single words mean other things in other names. */
export function withoutSetPhrases<T extends Keyed>(words: readonly T[]): readonly T[] {
  return words.filter(({ key }, index) => {
    const isNotSpecified = NEGATION.has(key) && UNSPECIFIED.has(words[index + 1]?.key ?? '');
    const isRuledOut = key === 'out' && /^ruled?$/.test(words[index - 1]?.key ?? '');
    return !isNotSpecified && !isRuledOut;
  });
}

/** The words that may make another disease of a name. */
export function tellingWords<T extends Keyed>(words: readonly T[]): readonly T[] {
  return words.filter(({ key }) => !isEmptyWord(key));
}

function isEmptyWord(key: string): boolean {
  return LITTLE.has(key) || DOUBT.has(key) || UNSPECIFIED.has(key) || DISEASE.has(key);
}

export function isDegreeWord(key: string): boolean {
  return DEGREE.has(key);
}

/** It says nothing that a code could contradict. */
export function isContextWord(key: string): boolean {
  return isEmptyWord(key) || NEGATION.has(key) || DEGREE.has(key) || DETAILS.has(key) || /^\d/.test(key);
}

export const CONTEXTS = {
  doubt: DOUBT,
  history:
    keysOf(`history historia historico antecedente antecedentes personal family familiar past previous prior previo previa anterior old
    antiguo antigo status post resolved healed curado curada resuelto resuelta survivor passado pregresso pregressa ex former`),
  sequela:
    keysOf(`sequela sequelae secuela secuelas sequelas late effect residual after following post old despues tras depois apos pos
    antiguo antigo secondary secundario secundaria`),
  pregnancy:
    keysOf(`pregnancy pregnant gestation gestational gestacion gestacional gestacao gestante embarazo embarazada gravidez gravida
    gravidica postpartum puerperal puerperium puerperio puerpera posparto postparto parto obstetric obstetrica maternal materna antenatal
    prenatal lactation lactancia amamentacao labor labour trimester trimestre birth childbirth fetal`),
  newborn:
    keysOf(`newborn neonatal neonate neonato neonatorum perinatal recien recem nacido nascido preterm premature prematuro prematura
    infant lactante lactente bebe baby birth nacer nascer congenital rn`),
  congenital: keysOf(
    'congenital congenita congenito malformation malformacion malformacao hereditary hereditaria inborn birth genetic familial',
  ),
  complication:
    keysOf(`complication complicacion complicacao postoperative posoperatorio postoperatorio postquirurgico surgical quirurgica
    cirurgica cirurgico surgery cirugia cirurgia procedure procedimiento prosthesis protesis protese prosthetic device dispositivo catheter
    cateter implant implante graft injerto transplant trasplante transplante anesthesia vaccine vacuna vacina transfusion iatrogenic sonda
    dialysis postsurgical post after stoma iatrogenica`),
  substance:
    keysOf(`drug induced medication medicine farmaco farmacos medicamento medicamentos medicamentosa inducida inducido induzida induzido
    adverse adverso adversa toxic toxica toxico toxicity poisoning overdose chemotherapy quimioterapia substance remedio efecto effect efeito
    reaction reaccion reacao allergy alergia allergic alergica`),
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>;

export type NameContext = keyof typeof CONTEXTS;

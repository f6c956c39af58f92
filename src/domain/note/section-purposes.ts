// What each section of the built-in templates is for, in one line for the writer of the note. A model gets it in the place of the
// guidance of a custom template.
import type { Language } from '../language.ts';
import { type SectionKey, TEMPLATE_SECTIONS, type TemplateName } from './template.ts';

type Purpose = Readonly<Record<Language, string>>;

const PURPOSES: Readonly<Record<SectionKey, Purpose>> = {
  SUBJECTIVE: {
    en: 'What the patient, or a person who speaks for the patient, tells: complaint, course, history, medication, allergies, and what they deny.',
    es: 'Lo que cuenta el paciente o quien habla por él: motivo, evolución, antecedentes, medicación, alergias y lo que niega.',
    pt: 'O que o paciente, ou quem fala por ele, conta: queixa, evolução, antecedentes, medicação, alergias e o que nega.',
  },
  OBJECTIVE: {
    en: 'What was measured, observed or examined in this visit, and the results that were named.',
    es: 'Lo que se midió, observó o exploró en esta visita, y los resultados que se mencionaron.',
    pt: 'O que foi medido, observado ou examinado nesta consulta, e os resultados que foram mencionados.',
  },
  ASSESSMENT: {
    en: 'What the clinician thinks it is, as it was said: diagnoses, suspicions, how sure they are, and the course.',
    es: 'Lo que el profesional piensa que es, tal como lo dijo: diagnósticos, sospechas, su certeza y la evolución.',
    pt: 'O que o profissional pensa que é, como foi dito: diagnósticos, suspeitas, o grau de certeza e a evolução.',
  },
  PLAN: {
    en: 'What was decided, ordered, prescribed, changed, stopped or advised, with doses and dates, and the next appointment.',
    es: 'Lo que se decidió, pidió, recetó, cambió, suspendió o aconsejó, con dosis y fechas, y la próxima cita.',
    pt: 'O que foi decidido, pedido, prescrito, alterado, suspenso ou aconselhado, com doses e datas, e o retorno.',
  },
  CHIEF_COMPLAINT: {
    en: "Why the patient comes, in one sentence, close to the patient's own words.",
    es: 'Por qué acude el paciente, en una frase, cerca de sus propias palabras.',
    pt: 'Por que o paciente vem, em uma frase, perto das suas próprias palavras.',
  },
  HISTORY_OF_PRESENT_ILLNESS: {
    en: 'The present complaint: beginning, course, place, character, severity, what changes it, other and denied symptoms, treatment so far.',
    es: 'El problema actual: inicio, evolución, lugar, carácter, intensidad, qué lo modifica, otros síntomas y los negados, tratamiento hasta ahora.',
    pt: 'O problema atual: início, evolução, local, caráter, intensidade, o que o modifica, outros sintomas e os negados, tratamento até agora.',
  },
  PAST_MEDICAL_HISTORY: {
    en: 'Earlier illnesses, operations, medication, allergies, family and social history.',
    es: 'Enfermedades anteriores, operaciones, medicación, alergias, antecedentes familiares y sociales.',
    pt: 'Doenças anteriores, cirurgias, medicação, alergias, história familiar e social.',
  },
  PHYSICAL_EXAM: {
    en: 'Vital signs and findings of the examination, also normal ones that were said; nothing that was not examined.',
    es: 'Constantes y hallazgos de la exploración, también los normales que se dijeron; nada que no se explorara.',
    pt: 'Sinais vitais e achados do exame, também os normais que foram ditos; nada que não tenha sido examinado.',
  },
  HISTORY: {
    en: 'The course of the complaint, with what is denied; earlier illnesses, medication, allergies, family and social history.',
    es: 'La evolución del problema, con lo que se niega; enfermedades anteriores, medicación, alergias, antecedentes familiares y sociales.',
    pt: 'A evolução da queixa, com o que é negado; doenças anteriores, medicação, alergias, história familiar e social.',
  },
  EXAMINATION: {
    en: 'Vital signs and findings of the examination, also normal ones that were said; nothing that was not examined.',
    es: 'Constantes y hallazgos de la exploración, también los normales que se dijeron; nada que no se explorara.',
    pt: 'Sinais vitais e achados do exame, também os normais que foram ditos; nada que não tenha sido examinado.',
  },
  DIFFERENTIAL: {
    en: 'The diagnoses that the clinician named as possible, with the reasons that were said.',
    es: 'Los diagnósticos que el profesional nombró como posibles, con las razones que se dijeron.',
    pt: 'Os diagnósticos que o profissional citou como possíveis, com as razões que foram ditas.',
  },
  DECISION: {
    en: 'What the clinician decided it is, and which way of treatment was chosen.',
    es: 'Qué decidió el profesional que es, y qué tratamiento se eligió.',
    pt: 'O que o profissional decidiu que é, e qual tratamento foi escolhido.',
  },
  ACTION: {
    en: 'What was done or ordered: tests, treatment, prescriptions with doses, referrals.',
    es: 'Lo que se hizo o se pidió: pruebas, tratamiento, recetas con dosis, derivaciones.',
    pt: 'O que foi feito ou pedido: exames, tratamento, prescrições com doses, encaminhamentos.',
  },
  REVIEW: {
    en: 'When and for what the patient is seen again, and when to come earlier.',
    es: 'Cuándo y para qué se revisa de nuevo al paciente, y cuándo debe acudir antes.',
    pt: 'Quando e para que o paciente é reavaliado, e quando deve voltar antes.',
  },
  DATA: {
    en: 'What was reported, observed and measured, without interpretation.',
    es: 'Lo que se contó, observó y midió, sin interpretación.',
    pt: 'O que foi contado, observado e medido, sem interpretação.',
  },
  PROBLEM: {
    en: 'The problem of care, and the signs that show it.',
    es: 'El problema de cuidados y los signos que lo muestran.',
    pt: 'O problema de cuidados e os sinais que o mostram.',
  },
  INTERVENTION: {
    en: 'What was done about it, and by whom if it was said.',
    es: 'Lo que se hizo al respecto, y quién lo hizo si se dijo.',
    pt: 'O que foi feito a respeito, e por quem, se foi dito.',
  },
  EVALUATION: {
    en: 'What came of what was done: better, the same or worse, and what is still open.',
    es: 'El resultado de lo que se hizo: mejor, igual o peor, y lo que queda pendiente.',
    pt: 'O resultado do que foi feito: melhor, igual ou pior, e o que ainda falta.',
  },
  SITUATION: {
    en: 'What it is about now: the reason, the present state, the most urgent first.',
    es: 'De qué se trata ahora: el motivo, el estado actual, primero lo más urgente.',
    pt: 'Do que se trata agora: o motivo, o estado atual, primeiro o mais urgente.',
  },
  BACKGROUND: {
    en: 'What led to it: known diagnoses, course, treatment, medication, allergies.',
    es: 'Lo que condujo a ello: diagnósticos conocidos, evolución, tratamiento, medicación, alergias.',
    pt: 'O que levou a isso: diagnósticos conhecidos, evolução, tratamento, medicação, alergias.',
  },
  RECOMMENDATION: {
    en: 'What was asked for or suggested: what is to be done, by whom and by when.',
    es: 'Lo que se pidió o se propuso: qué hay que hacer, quién y para cuándo.',
    pt: 'O que foi pedido ou proposto: o que fazer, por quem e até quando.',
  },
  BEHAVIOR: {
    en: 'What the patient said, and how they appeared and behaved; statements about harm to self or others as they were said.',
    es: 'Lo que dijo el paciente y cómo se mostró y se comportó; lo dicho sobre daño a sí mismo o a otros, tal cual.',
    pt: 'O que o paciente disse e como se mostrou e se comportou; o que foi dito sobre dano a si ou a outros, tal qual.',
  },
  RESPONSE: {
    en: 'How the patient responded to what was done.',
    es: 'Cómo respondió el paciente a lo que se hizo.',
    pt: 'Como o paciente respondeu ao que foi feito.',
  },
  DIAGNOSIS: {
    en: 'The diagnosis as it was named, with its cause and its signs if they were said.',
    es: 'El diagnóstico tal como se nombró, con su causa y sus signos si se dijeron.',
    pt: 'O diagnóstico como foi citado, com a sua causa e os seus sinais, se foram ditos.',
  },
  MONITORING: {
    en: 'What is to be followed up, by which values, and when.',
    es: 'Lo que hay que vigilar, con qué valores y cuándo.',
    pt: 'O que deve ser acompanhado, por quais valores e quando.',
  },
};

/** Sections that mean something else in one template. */
const PURPOSES_IN: { readonly [Name in TemplateName]?: Readonly<Partial<Record<SectionKey, Purpose>>> } = {
  BIRP: {
    INTERVENTION: {
      en: 'What the therapist did in the session: methods, questions, exercises.',
      es: 'Lo que hizo el terapeuta en la sesión: métodos, preguntas, ejercicios.',
      pt: 'O que o terapeuta fez na sessão: métodos, perguntas, exercícios.',
    },
  },
  DAR: {
    ACTION: {
      en: 'What was done for the patient, and what was arranged.',
      es: 'Lo que se hizo por el paciente y lo que se organizó.',
      pt: 'O que foi feito pelo paciente e o que foi providenciado.',
    },
  },
  ADIME: {
    ASSESSMENT: {
      en: 'What the patient eats and drinks, weight and other measurements, laboratory values, and the history that matters for nutrition.',
      es: 'Lo que come y bebe el paciente, peso y otras medidas, valores de laboratorio y los antecedentes que importan para la nutrición.',
      pt: 'O que o paciente come e bebe, peso e outras medidas, valores de laboratório e os antecedentes que importam para a nutrição.',
    },
    INTERVENTION: {
      en: 'The nutrition plan: goals, diet, supplements and counselling that were agreed.',
      es: 'El plan nutricional: objetivos, dieta, suplementos y consejos que se acordaron.',
      pt: 'O plano nutricional: metas, dieta, suplementos e orientações que foram combinados.',
    },
    EVALUATION: {
      en: 'Which goals were reached, and what is to be changed.',
      es: 'Qué objetivos se alcanzaron y qué hay que cambiar.',
      pt: 'Quais metas foram alcançadas e o que deve mudar.',
    },
  },
};

/** Undefined for a section that the built-in template does not have, and for custom templates, which say it themselves. */
export function sectionPurpose(template: TemplateName | 'CUSTOM', key: string, language: Language): string | undefined {
  if (template === 'CUSTOM') return undefined;
  const section = TEMPLATE_SECTIONS[template].find((name) => name === key);
  if (section === undefined) return undefined;
  return (PURPOSES_IN[template]?.[section] ?? PURPOSES[section])[language];
}

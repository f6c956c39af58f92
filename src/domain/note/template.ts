// The sections of a note: the ten built-in templates, and custom templates that a caller sends.
import { AppError } from '../errors.ts';
import type { Language } from '../language.ts';

export const TEMPLATE_SECTIONS = {
  SOAP: ['SUBJECTIVE', 'OBJECTIVE', 'ASSESSMENT', 'PLAN'],
  APSO: ['ASSESSMENT', 'PLAN', 'SUBJECTIVE', 'OBJECTIVE'],
  MULTIPLE_SECTIONS: [
    'CHIEF_COMPLAINT',
    'HISTORY_OF_PRESENT_ILLNESS',
    'PAST_MEDICAL_HISTORY',
    'PHYSICAL_EXAM',
    'ASSESSMENT',
    'PLAN',
  ],
  CHEDDAR: ['CHIEF_COMPLAINT', 'HISTORY', 'EXAMINATION', 'DIFFERENTIAL', 'DECISION', 'ACTION', 'REVIEW'],
  DAP: ['DATA', 'ASSESSMENT', 'PLAN'],
  PIE: ['PROBLEM', 'INTERVENTION', 'EVALUATION'],
  SBAR: ['SITUATION', 'BACKGROUND', 'ASSESSMENT', 'RECOMMENDATION'],
  BIRP: ['BEHAVIOR', 'INTERVENTION', 'RESPONSE', 'PLAN'],
  DAR: ['DATA', 'ACTION', 'RESPONSE'],
  ADIME: ['ASSESSMENT', 'DIAGNOSIS', 'INTERVENTION', 'MONITORING', 'EVALUATION'],
} as const;
export type TemplateName = keyof typeof TEMPLATE_SECTIONS;
export const TEMPLATE_NAMES = Object.keys(TEMPLATE_SECTIONS) as readonly TemplateName[];

export const NOTE_TYPE_TEMPLATES = {
  PROGRESS_NOTE: 'SOAP',
  ADMISSION_NOTE: 'APSO',
  ED_NOTE: 'CHEDDAR',
  DISCHARGE_SUMMARY: 'MULTIPLE_SECTIONS',
  CONSULT_NOTE: 'APSO',
  NURSING_NOTE: 'PIE',
  BEHAVIORAL_HEALTH_NOTE: 'BIRP',
  DIETITIAN_NOTE: 'ADIME',
} as const satisfies Record<string, TemplateName>;
export type NoteType = keyof typeof NOTE_TYPE_TEMPLATES;
export const NOTE_TYPES = Object.keys(NOTE_TYPE_TEMPLATES) as readonly NoteType[];

const DEFAULT_TEMPLATE: TemplateName = 'SOAP';

export type SectionKey = (typeof TEMPLATE_SECTIONS)[TemplateName][number];

const SECTION_TITLES: Record<SectionKey, Record<Language, string>> = {
  SUBJECTIVE: { en: 'Subjective', es: 'Subjetivo', pt: 'Subjetivo' },
  OBJECTIVE: { en: 'Objective', es: 'Objetivo', pt: 'Objetivo' },
  ASSESSMENT: { en: 'Assessment', es: 'Evaluación', pt: 'Avaliação' },
  PLAN: { en: 'Plan', es: 'Plan', pt: 'Plano' },
  CHIEF_COMPLAINT: { en: 'Chief Complaint', es: 'Motivo de consulta', pt: 'Queixa principal' },
  HISTORY_OF_PRESENT_ILLNESS: {
    en: 'History of Present Illness',
    es: 'Historia de la enfermedad actual',
    pt: 'História da doença atual',
  },
  PAST_MEDICAL_HISTORY: { en: 'Past Medical History', es: 'Antecedentes médicos', pt: 'Antecedentes médicos' },
  PHYSICAL_EXAM: { en: 'Physical Exam', es: 'Exploración física', pt: 'Exame físico' },
  HISTORY: { en: 'History', es: 'Historia', pt: 'História' },
  EXAMINATION: { en: 'Examination', es: 'Exploración', pt: 'Exame' },
  DIFFERENTIAL: { en: 'Differential', es: 'Diagnóstico diferencial', pt: 'Diagnóstico diferencial' },
  DECISION: { en: 'Decision', es: 'Decisión', pt: 'Decisão' },
  ACTION: { en: 'Action', es: 'Acción', pt: 'Ação' },
  REVIEW: { en: 'Review', es: 'Revisión', pt: 'Revisão' },
  DATA: { en: 'Data', es: 'Datos', pt: 'Dados' },
  PROBLEM: { en: 'Problem', es: 'Problema', pt: 'Problema' },
  INTERVENTION: { en: 'Intervention', es: 'Intervención', pt: 'Intervenção' },
  EVALUATION: { en: 'Evaluation', es: 'Resultado', pt: 'Resultado' },
  SITUATION: { en: 'Situation', es: 'Situación', pt: 'Situação' },
  BACKGROUND: { en: 'Background', es: 'Antecedentes', pt: 'Antecedentes' },
  RECOMMENDATION: { en: 'Recommendation', es: 'Recomendación', pt: 'Recomendação' },
  BEHAVIOR: { en: 'Behavior', es: 'Conducta', pt: 'Comportamento' },
  RESPONSE: { en: 'Response', es: 'Respuesta', pt: 'Resposta' },
  DIAGNOSIS: { en: 'Diagnosis', es: 'Diagnóstico', pt: 'Diagnóstico' },
  MONITORING: { en: 'Monitoring', es: 'Monitoreo', pt: 'Monitoramento' },
};

export type TemplateSection = {
  readonly key: string;
  readonly title: string;
  /** The author's description of the section's content; absent for built-in templates. */
  readonly guidance?: string;
};

export type DynamicField = { readonly name: string; readonly description: string };

export type Template = {
  /** The name of a built-in template, or `CUSTOM`. */
  readonly name: TemplateName | 'CUSTOM';
  readonly noteType?: NoteType;
  readonly sections: readonly TemplateSection[];
  readonly dynamicFields: readonly DynamicField[];
};

type TemplateChoice = {
  readonly noteType?: NoteType | undefined;
  readonly template?: TemplateName | undefined;
  readonly customTemplate?: string | undefined;
  readonly language: Language;
};

/** The template of a request. Throws `invalidRequest` if its choices exclude each other. */
export function chooseTemplate({ noteType, template, customTemplate, language }: TemplateChoice): Template {
  if (customTemplate !== undefined) {
    const others = [noteType && 'note_type', template && 'template'].filter((name) => name !== undefined);
    if (others.length > 0) {
      throw new AppError('invalidRequest', `custom_template cannot be combined with ${others.join(' or ')}`);
    }
    return parseCustomTemplate(customTemplate);
  }
  const name = template ?? (noteType ? NOTE_TYPE_TEMPLATES[noteType] : DEFAULT_TEMPLATE);
  const sections = TEMPLATE_SECTIONS[name].map((key) => ({ key, title: SECTION_TITLES[key][language] }));
  return { name, sections, dynamicFields: [], ...(noteType && { noteType }) };
}

export const CUSTOM_TEMPLATE_LIMITS = { maxChars: 65_536, maxSections: 50, maxFields: 100, maxNameChars: 200 } as const;
const NAMES_NEVER_ALLOWED = new Set(['__proto__', 'constructor', 'prototype']);

/** `Chief Complaint` → `CHIEF_COMPLAINT`: letters keep their accents, every sequence of other characters becomes one underscore. */
export function sectionKey(title: string): string {
  return title
    .normalize('NFC')
    .toUpperCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

/** Parses a custom template. Throws one `invalidRequest` with all problems. */
export function parseCustomTemplate(text: string): Template {
  if (text.length > CUSTOM_TEMPLATE_LIMITS.maxChars) {
    throw new AppError(
      'invalidRequest',
      `custom_template is longer than ${CUSTOM_TEMPLATE_LIMITS.maxChars} characters`,
    );
  }
  const sections: { title: string; lines: string[] }[] = [];
  const dynamicFields: DynamicField[] = [];
  const problems: string[] = [];
  let isInFields = false;
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const heading = /^#[ \t]+(\S.*)$/.exec(line.trimEnd());
    if (heading?.[1] !== undefined) {
      isInFields = false;
      sections.push({ title: heading[1].trim(), lines: [] });
    } else if (/^##[ \t]+dynamic fields$/i.test(line.trim())) {
      isInFields = true;
    } else if (isInFields) {
      readField(line, index + 1, dynamicFields, problems);
    } else {
      sections.at(-1)?.lines.push(line);
    }
  }
  problems.push(...sectionProblems(sections.map((section) => section.title)), ...fieldProblems(dynamicFields));
  if (problems.length > 0) {
    throw new AppError('invalidRequest', 'custom_template cannot be used', {
      details: problems.map((problem) => `custom_template: ${problem}`),
    });
  }
  return {
    name: 'CUSTOM',
    sections: sections.map(({ title, lines }) => ({
      key: sectionKey(title),
      title,
      guidance: lines.join('\n').trim(),
    })),
    dynamicFields,
  };
}

function readField(line: string, lineNumber: number, fields: DynamicField[], problems: string[]): void {
  if (line.trim() === '') return;
  const item = /^[-*][ \t]/.test(line.trim()) ? line.trim().slice(1).trim() : '';
  const colon = item.indexOf(':');
  const name = (colon < 0 ? item : item.slice(0, colon)).trim();
  if (name === '') {
    problems.push(`line ${lineNumber}: a dynamic field is a line "- <field_name>: <description>"`);
    return;
  }
  fields.push({ name, description: colon < 0 ? '' : item.slice(colon + 1).trim() });
}

function sectionProblems(titles: readonly string[]): string[] {
  if (titles.length === 0) return ['no section: write each as a heading "# <Section Name>"'];
  if (titles.length > CUSTOM_TEMPLATE_LIMITS.maxSections) {
    return [`more than ${CUSTOM_TEMPLATE_LIMITS.maxSections} sections`];
  }
  const keys = titles.map(sectionKey);
  return [
    ...duplicates(keys.filter((key) => key !== '')).map((key) => `two sections have the key ${key}`),
    ...titles.filter((_, index) => keys[index] === '').map(() => 'a section name has no letter or digit'),
    ...titles
      .filter((title) => title.length > CUSTOM_TEMPLATE_LIMITS.maxNameChars)
      .map(() => `a section name is longer than ${CUSTOM_TEMPLATE_LIMITS.maxNameChars} characters`),
  ];
}

function fieldProblems(fields: readonly DynamicField[]): string[] {
  if (fields.length > CUSTOM_TEMPLATE_LIMITS.maxFields) {
    return [`more than ${CUSTOM_TEMPLATE_LIMITS.maxFields} dynamic fields`];
  }
  const names = fields.map((field) => field.name);
  return [
    ...duplicates(names).map((name) => `two dynamic fields have the name ${name}`),
    ...names.filter((name) => NAMES_NEVER_ALLOWED.has(name)).map((name) => `${name} is no name for a dynamic field`),
    ...names
      .filter((name) => name.length > CUSTOM_TEMPLATE_LIMITS.maxNameChars)
      .map(() => `a dynamic field's name is longer than ${CUSTOM_TEMPLATE_LIMITS.maxNameChars} characters`),
  ];
}

function duplicates(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

// All sentences of the rules, in three languages. Callers join the lists and shorten the quotes.
import type { Language } from '../../domain/language.ts';

/** Counts of content that the rules could not read. */
export type UnseenContent = {
  readonly images: number;
  /** Scans, and PDFs that could not be read. */
  readonly documents: number;
  /** PDFs of which only a part was read. */
  readonly parts: number;
};

type FindingsToAsk = { readonly ask: string; readonly look: string };

export type Wording = {
  readonly quote: (said: string) => string;
  readonly uncertain: string;
  readonly why: {
    readonly speaksFor: (list: string) => string;
    readonly speaksAgainst: (list: string) => string;
    readonly saidAbsent: (list: string) => string;
    readonly peopleFor: string;
    readonly peopleAgainst: string;
    /** Used if the only reason is that the condition can come with these findings. */
    readonly comesWith: (list: string) => string;
    /** Complaints that the condition does not explain. */
    readonly unexplained: (list: string) => string;
    /** Findings and conditions that suggest an unlikely condition. */
    readonly suggestedBy: (list: string) => string;
    readonly notToBeMissed: string;
    /** One of the two lists may be empty, not both. */
    readonly notMentioned: (asked: FindingsToAsk) => string;
  };
  readonly dosage: string;
  readonly triage: {
    readonly danger: (list: string) => string;
    readonly together: (list: string) => string;
    readonly conditions: (list: string) => string;
    /** There is no alarm, but dangerous conditions have too large a share. */
    readonly outweighs: (list: string) => string;
    /** Complaints that no known condition explains. */
    readonly unexplained: (list: string) => string;
    readonly notUnderstood: string;
    readonly notSeen: string;
    readonly noDanger: string;
    readonly littleRecognised: string;
    readonly nothingRecognised: string;
    readonly soundsUrgent: string;
    /** Findings and words that weighed most in the urgency model. */
    readonly weighedMost: (list: string) => string;
    readonly noHealth: string;
    readonly unseen: (unseen: UnseenContent) => string;
    readonly family: (list: string) => string;
    readonly past: (list: string) => string;
    readonly madeByRules: string;
  };
  readonly next: {
    readonly now: string;
    readonly original: string;
    readonly regular: string;
    readonly sendHistory: string;
    readonly becomesUrgent: (list: string) => string;
    /** Used if there is no more specific warning sign. */
    readonly generalDangers: string;
  };
};

const EN: Wording = {
  quote: (said) => `“${said}”`,
  uncertain: 'not certain',
  why: {
    speaksFor: (list) => `Speaks for it: ${list}.`,
    speaksAgainst: (list) => `Speaks against it: ${list}.`,
    saidAbsent: (list) => `said to be absent: ${list}`,
    peopleFor: 'age or sex makes it more likely',
    peopleAgainst: 'age or sex makes it less likely',
    comesWith: (list) => `It comes into question because of ${list}; nothing more speaks for it.`,
    unexplained: (list) => `It does not explain: ${list}.`,
    suggestedBy: (list) => `Not likely, and still to be thought of with: ${list}.`,
    notToBeMissed: 'It would do serious harm if it were overlooked.',
    notMentioned: (asked) => `Not mentioned, and could change this ranking. ${asking(asked, 'Ask for', 'Look for')}`,
  },
  dosage: 'Per local guideline',
  triage: {
    danger: (list) => `Urgent: the text names danger signs: ${list}.`,
    together: (list) => `Urgent: findings that are dangerous together: ${list}.`,
    conditions: (list) => `Urgent: what was found fits what must not be missed: ${list}.`,
    outweighs: (list) =>
      `Urgent as a precaution: no single danger sign was found, but too much of what this may be is dangerous: ${list}.`,
    unexplained: (list) => `Urgent as a precaution: these rules know nothing that explains: ${list}.`,
    notUnderstood:
      'Hardly anything of the text could be understood (these rules read English, Spanish and Portuguese), so that an emergency cannot be excluded.',
    notSeen:
      'There was nothing to go by but files that these rules cannot see, so that an emergency cannot be excluded.',
    noDanger:
      'These rules found no danger sign among what was written. That says nothing about what was not written, asked or examined.',
    littleRecognised:
      'Most of what was told was not recognised, and a danger may be in it: a clinician has to read it.',
    nothingRecognised:
      'The text is about health, but these rules recognised nothing in it that they could weigh, so that an emergency cannot be excluded.',
    soundsUrgent:
      'Urgent as a precaution: no single danger sign was found, but it is told as emergencies are told, and more may be in it than these rules could name.',
    weighedMost: (list) => `What weighed most in that: ${list}.`,
    noHealth: 'No health content was found in what was sent, so that there is nothing to assess.',
    unseen: (unseen) =>
      unseenIn(unseen, {
        begin: 'These rules read text only and did not see:',
        images: ['1 image', 'images'],
        documents: ['1 PDF without readable text', 'PDFs without readable text'],
        parts: ['parts of 1 PDF', 'PDFs in parts'],
      }),
    family: (list) => `Mentioned of relatives and not counted: ${list}.`,
    past: (list) => `Mentioned of earlier times and not counted: ${list}.`,
    madeByRules: 'This assessment was made by rules, not by a clinician or a language model.',
  },
  next: {
    now: 'A clinician has to see this person now: in an emergency department, or by calling the local emergency number. Do not wait for further results.',
    original:
      'A clinician has to look at the original now and decide. If the person is unwell, call for help without waiting for that.',
    regular: 'A clinician should look at this in a regular consultation.',
    sendHistory: 'For an assessment, send a clinical history. Whoever is unwell should be seen by a clinician.',
    becomesUrgent: (list) => `It becomes urgent with: ${list}; or if it gets worse quickly.`,
    generalDangers:
      'trouble breathing, chest pain, fainting, confusion, weakness of one side of the body, heavy bleeding',
  },
};

const ES: Wording = {
  quote: (said) => `«${said}»`,
  uncertain: 'sin certeza',
  why: {
    speaksFor: (list) => `A favor: ${list}.`,
    speaksAgainst: (list) => `En contra: ${list}.`,
    saidAbsent: (list) => `negado en el texto: ${list}`,
    peopleFor: 'la edad o el sexo lo hacen más probable',
    peopleAgainst: 'la edad o el sexo lo hacen menos probable',
    comesWith: (list) => `Se considera por ${list}; nada más habla a su favor.`,
    unexplained: (list) => `No explica: ${list}.`,
    suggestedBy: (list) => `Poco probable, pero hay que pensar en ello ante: ${list}.`,
    notToBeMissed: 'Pasarlo por alto causaría un daño grave.',
    notMentioned: (asked) =>
      `No se menciona y podría cambiar este orden. ${asking(asked, 'Pregunte por', 'Compruebe si hay')}`,
  },
  dosage: 'Según la guía local',
  triage: {
    danger: (list) => `Urgente: el texto nombra signos de alarma: ${list}.`,
    together: (list) => `Urgente: hallazgos que juntos son peligrosos: ${list}.`,
    conditions: (list) => `Urgente: lo encontrado encaja con lo que no debe pasarse por alto: ${list}.`,
    outweighs: (list) =>
      `Urgente por precaución: no se encontró ningún signo de alarma aislado, pero demasiado de lo que esto puede ser es peligroso: ${list}.`,
    unexplained: (list) => `Urgente por precaución: estas reglas no conocen nada que explique: ${list}.`,
    notUnderstood:
      'Apenas se pudo entender algo del texto (estas reglas leen inglés, español y portugués), de modo que no se puede descartar una urgencia.',
    notSeen: 'Solo había archivos que estas reglas no pueden ver, de modo que no se puede descartar una urgencia.',
    noDanger:
      'Estas reglas no encontraron signos de alarma en lo escrito. Eso no dice nada de lo que no se escribió, preguntó o exploró.',
    littleRecognised:
      'No se reconoció la mayor parte de lo que se contó, y puede haber en ello un peligro: tiene que leerlo un profesional clínico.',
    nothingRecognised:
      'El texto trata de salud, pero estas reglas no reconocieron en él nada que pudieran valorar, de modo que no se puede descartar una urgencia.',
    soundsUrgent:
      'Urgente por precaución: no se encontró ningún signo de alarma aislado, pero está contado como se cuentan las urgencias, y puede haber en ello más de lo que estas reglas supieron nombrar.',
    weighedMost: (list) => `Lo que más pesó en ello: ${list}.`,
    noHealth: 'No se encontró contenido de salud en lo enviado, de modo que no hay nada que valorar.',
    unseen: (unseen) =>
      unseenIn(unseen, {
        begin: 'Estas reglas solo leen texto y no vieron:',
        images: ['1 imagen', 'imágenes'],
        documents: ['1 PDF sin texto legible', 'PDF sin texto legible'],
        parts: ['partes de 1 PDF', 'PDF en parte'],
      }),
    family: (list) => `Mencionado de familiares y no tenido en cuenta: ${list}.`,
    past: (list) => `Mencionado de épocas anteriores y no tenido en cuenta: ${list}.`,
    madeByRules: 'Esta valoración la hicieron reglas, no un profesional clínico ni un modelo de lenguaje.',
  },
  next: {
    now: 'Un profesional clínico debe ver a esta persona ahora: en un servicio de urgencias o llamando al número local de emergencias. No espere a otros resultados.',
    original:
      'Un profesional clínico debe mirar el original ahora y decidir. Si la persona se encuentra mal, pida ayuda sin esperar a eso.',
    regular: 'Un profesional clínico debería valorarlo en una consulta ordinaria.',
    sendHistory:
      'Para una valoración, envíe una historia clínica. A quien se encuentre mal debería verlo un profesional clínico.',
    becomesUrgent: (list) => `Pasa a ser urgente si aparece: ${list}; o si empeora con rapidez.`,
    generalDangers:
      'dificultad para respirar, dolor torácico, desmayo, confusión, debilidad de un lado del cuerpo, sangrado abundante',
  },
};

const PT: Wording = {
  quote: (said) => `“${said}”`,
  uncertain: 'sem certeza',
  why: {
    speaksFor: (list) => `A favor: ${list}.`,
    speaksAgainst: (list) => `Contra: ${list}.`,
    saidAbsent: (list) => `negado no texto: ${list}`,
    peopleFor: 'a idade ou o sexo tornam isto mais provável',
    peopleAgainst: 'a idade ou o sexo tornam isto menos provável',
    comesWith: (list) => `É considerado por causa de ${list}; nada mais fala a seu favor.`,
    unexplained: (list) => `Não explica: ${list}.`,
    suggestedBy: (list) => `Pouco provável, mas é preciso pensar nisto perante: ${list}.`,
    notToBeMissed: 'Deixar passar causaria um dano grave.',
    notMentioned: (asked) =>
      `Não foi mencionado e poderia mudar esta ordem. ${asking(asked, 'Pergunte por', 'Verifique se há')}`,
  },
  dosage: 'Conforme o protocolo local',
  triage: {
    danger: (list) => `Urgente: o texto cita sinais de alarme: ${list}.`,
    together: (list) => `Urgente: achados que são perigosos em conjunto: ${list}.`,
    conditions: (list) => `Urgente: o que foi encontrado é compatível com o que não pode passar despercebido: ${list}.`,
    outweighs: (list) =>
      `Urgente por precaução: não foi encontrado nenhum sinal de alarme isolado, mas uma parte grande demais do que isto pode ser é perigosa: ${list}.`,
    unexplained: (list) => `Urgente por precaução: estas regras não conhecem nada que explique: ${list}.`,
    notUnderstood:
      'Quase nada do texto pôde ser entendido (estas regras leem inglês, espanhol e português), de modo que uma emergência não pode ser excluída.',
    notSeen: 'Só havia arquivos que estas regras não conseguem ver, de modo que uma emergência não pode ser excluída.',
    noDanger:
      'Estas regras não encontraram sinais de alarme no que foi escrito. Isso nada diz sobre o que não foi escrito, perguntado ou examinado.',
    littleRecognised:
      'A maior parte do que foi contado não foi reconhecida, e pode haver um perigo nela: um profissional de saúde precisa ler.',
    nothingRecognised:
      'O texto trata de saúde, mas estas regras não reconheceram nele nada que pudessem avaliar, de modo que uma emergência não pode ser excluída.',
    soundsUrgent:
      'Urgente por precaução: não foi encontrado nenhum sinal de alarme isolado, mas está contado como se contam as emergências, e pode haver nisso mais do que estas regras souberam nomear.',
    weighedMost: (list) => `O que mais pesou nisso: ${list}.`,
    noHealth: 'Não foi encontrado conteúdo de saúde no que foi enviado, de modo que não há nada a avaliar.',
    unseen: (unseen) =>
      unseenIn(unseen, {
        begin: 'Estas regras só leem texto e não viram:',
        images: ['1 imagem', 'imagens'],
        documents: ['1 PDF sem texto legível', 'PDFs sem texto legível'],
        parts: ['partes de 1 PDF', 'PDFs em parte'],
      }),
    family: (list) => `Mencionado de familiares e não considerado: ${list}.`,
    past: (list) => `Mencionado de épocas anteriores e não considerado: ${list}.`,
    madeByRules:
      'Esta avaliação foi feita por regras, não por um profissional de saúde nem por um modelo de linguagem.',
  },
  next: {
    now: 'Um profissional de saúde precisa ver esta pessoa agora: em um serviço de emergência ou ligando para o número local de emergência. Não espere por outros resultados.',
    original:
      'Um profissional de saúde precisa ver o original agora e decidir. Se a pessoa estiver mal, peça ajuda sem esperar por isso.',
    regular: 'Um profissional de saúde deveria avaliar isto em uma consulta regular.',
    sendHistory:
      'Para uma avaliação, envie uma história clínica. Quem estiver mal deveria ser visto por um profissional de saúde.',
    becomesUrgent: (list) => `Torna-se urgente se houver: ${list}; ou se piorar rapidamente.`,
    generalDangers: 'falta de ar, dor no peito, desmaio, confusão, fraqueza de um lado do corpo, sangramento intenso',
  },
};

export const WORDING: Readonly<Record<Language, Wording>> = { en: EN, es: ES, pt: PT };

function asking({ ask, look }: FindingsToAsk, askWord: string, lookWord: string): string {
  return [ask && `${askWord}: ${ask}.`, look && `${lookWord}: ${look}.`].filter((part) => part !== '').join(' ');
}

/** For each kind: the text for one, and the noun after a larger number. */
type UnseenWords = Readonly<Record<keyof UnseenContent, readonly [one: string, more: string]>> & {
  readonly begin: string;
};

function unseenIn(unseen: UnseenContent, words: UnseenWords): string {
  const kinds = (['images', 'documents', 'parts'] as const)
    .filter((kind) => unseen[kind] > 0)
    .map((kind) => (unseen[kind] === 1 ? words[kind][0] : `${unseen[kind]} ${words[kind][1]}`));
  return `${words.begin} ${kinds.join(', ')}.`;
}

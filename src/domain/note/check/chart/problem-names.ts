// The names of frequent problems in charts and notes, in the words and the short forms of three languages. An id with a dot is a kind of
// what is before the dot: who denies `kidney` denies `kidney.chronic`, too.
import { makeFindNamedThings, type NamedThing } from '../../../../clinical-text/phrases/named-things.ts';
import type { Token } from '../../../../clinical-text/tokens/tokens.ts';
import { LANGUAGES, type Language } from '../../../language.ts';

const findProblems = makeFindNamedThings(`
diabetes = diabetes, diabetic, diabetes mellitus, dm / diabetes, diabetico, diabetica, dm, diabetes mellitus / diabetes, diabetico, diabetica, dm, diabetes mellitus
diabetes.1 = type 1 diabetes, type one diabetes, diabetes type 1, t1dm, dm1, iddm / diabetes tipo 1, diabetes mellitus tipo 1, dm1, dm tipo 1 / diabetes tipo 1, diabetes mellitus tipo 1, dm1, dm tipo 1
diabetes.2 = type 2 diabetes, type two diabetes, diabetes type 2, t2dm, dm2, niddm / diabetes tipo 2, diabetes mellitus tipo 2, dm2, dm tipo 2 / diabetes tipo 2, diabetes mellitus tipo 2, dm2, dm tipo 2
hypertension = hypertension, hypertensive, high blood pressure, htn / hipertension, hipertension arterial, hipertenso, hipertensa, hta, presion alta / hipertensao, hipertensao arterial, hipertenso, hipertensa, has, pressao alta
hypertension.gestational = gestational hypertension, pregnancy induced hypertension / hipertension gestacional / hipertensao gestacional
heart failure = heart failure, ccf, chf, hfref, hfpef / insuficiencia cardiaca, icc, ic fer, ic fep / insuficiencia cardiaca, icc, icfer, icfep
ischaemic heart = ischaemic heart disease, ischemic heart disease, ihd, coronary artery disease, coronary disease, cad, angina / cardiopatia isquemica, enfermedad coronaria, angina / cardiopatia isquemica, doenca coronariana, doenca arterial coronariana, dac, angina
ischaemic heart.infarct = heart attack, myocardial infarction, nstemi, stemi / infarto, infarto de miocardio, iam / infarto, infarto do miocardio, infarto agudo, iam
arrhythmia = arrhythmia, irregular heartbeat / arritmia, arritmia cardiaca / arritmia, arritmia cardiaca
arrhythmia.fibrillation = atrial fibrillation, afib, af / fibrilacion auricular, fa / fibrilacao atrial, fa
stroke = stroke, cva, tia / ictus, acv, ave, derrame cerebral / avc, ave, derrame
copd = copd, emphysema, chronic bronchitis / epoc, enfisema, bronquitis cronica / dpoc, enfisema, bronquite cronica
asthma = asthma, asthmatic / asma, asmatico, asmatica / asma, asmatico, asmatica
kidney = kidney disease, renal disease, kidney trouble, renal failure / enfermedad renal, insuficiencia renal / doenca renal, insuficiencia renal
kidney.chronic = chronic kidney disease, chronic renal failure, ckd / enfermedad renal cronica, insuficiencia renal cronica, erc, irc / doenca renal cronica, insuficiencia renal cronica, drc, irc
thyroid = thyroid disease, thyroid problem / enfermedad tiroidea, tiroides / doenca da tireoide, doenca tireoidiana, tireoide
thyroid.low = hypothyroid, hypothyroidism / hipotiroidismo, hipotiroideo, hipotiroidea / hipotireoidismo, hipotireoideo, hipotireoidea
thyroid.high = hyperthyroid, hyperthyroidism / hipertiroidismo / hipertireoidismo
seizures = seizure / convulsion, convulsiones, crisis convulsiva / convulsao, convulsoes, crise convulsiva, crises convulsivas
seizures.epilepsy = epilepsy, epileptic / epilepsia, epileptico, epileptica / epilepsia, epileptico, epileptica
migraine = migraine / migrana, jaqueca / enxaqueca
migraine.aura = migraine with aura / migrana con aura / enxaqueca com aura
depression = depression, depressive disorder / depresion, trastorno depresivo, episodio depresivo / depressao, transtorno depressivo
depression.postnatal = postnatal depression, postpartum depression / depresion posparto / depressao pos parto
anxiety = anxiety, anxiety disorder / ansiedad, trastorno de ansiedad / ansiedade, transtorno de ansiedade
bipolar = bipolar / bipolar / bipolar
psychosis = schizophrenia, psychosis / esquizofrenia, psicosis / esquizofrenia, psicose
dementia = dementia / demencia / demencia
dementia.alzheimer = alzheimer, alzheimer dementia, alzheimer disease, alzheimers dementia / alzheimer, demencia tipo alzheimer, enfermedad de alzheimer / alzheimer, demencia de alzheimer, doenca de alzheimer
parkinson = parkinson / parkinson / parkinson
lipids = dyslipidaemia, dyslipidemia, hyperlipidaemia, hyperlipidemia, high cholesterol, hypercholesterolaemia, hypercholesterolemia / dislipemia, dislipidemia, dlp, colesterol alto, hipercolesterolemia / dislipidemia, dlp, colesterol alto, hipercolesterolemia
reflux = reflux, gord, gerd, gastro oesophageal reflux / reflujo, erge / refluxo, drge
ulcer = peptic ulcer, gastric ulcer, stomach ulcer, duodenal ulcer / ulcera gastrica, ulcera peptica, ulcera duodenal / ulcera gastrica, ulcera peptica, ulcera duodenal
liver = liver disease, cirrhosis / cirrosis, hepatopatia / cirrose, hepatopatia
hepatitis = hepatitis / hepatitis / hepatite
anaemia = anaemia, anaemic, anemia, anemic / anemia, anemico, anemica / anemia, anemico, anemica
gout = gout / gota / gota
arthritis = rheumatoid arthritis, psoriatic arthritis / artritis reumatoide, artritis psoriasica / artrite reumatoide, artrite psoriasica
osteoporosis = osteoporosis / osteoporosis / osteoporose
psoriasis = psoriasis / psoriasis / psoriase
glaucoma = glaucoma / glaucoma / glaucoma
cancer = cancer, malignancy / cancer, neoplasia / cancer, neoplasia
prostate = enlarged prostate, bph, prostatic hyperplasia / hiperplasia prostatica, hbp / hiperplasia prostatica, hpb
endometriosis = endometriosis / endometriosis / endometriose
tuberculosis = tuberculosis / tuberculosis / tuberculose
hiv = hiv / vih / hiv
dysphagia = dysphagia / disfagia / disfagia
clot = deep vein thrombosis, dvt, pulmonary embolism / trombosis venosa, tvp, embolia pulmonar, tep / trombose venosa, tvp, embolia pulmonar, tep
self-harm = suicide attempt, overdose attempt, attempted suicide / intento de suicidio, intento suicida, intento autolitico / tentativa de suicidio
smoking = smoker, smoking, smokes, smoke, tobacco, exsmoker / fumador, fumadora, exfumador, exfumadora, fuma, tabaquismo, tabaco / fumante, extabagista, exfumante, tabagista, tabagismo, fuma, tabaco
alcohol = alcohol use, alcohol dependence, alcoholism, harmful alcohol, alcohol / alcoholismo, consumo de alcohol, consumo perjudicial de alcohol, alcohol / alcoolismo, etilismo, etilista, alcool
surgery = previous surgery, surgery, operations / cirugia, cirugias, operaciones / cirurgia, cirurgias
surgery.appendix = appendicectomy, appendectomy, appendix out / apendicectomia / apendicectomia
surgery.gallbladder = cholecystectomy, gallbladder out / colecistectomia / colecistectomia
surgery.caesarean = caesarean, cesarean, c section / cesarea, cesareas / cesarea, cesareas, cesariana
surgery.uterus = hysterectomy / histerectomia / histerectomia
surgery.hip = hip replacement / protesis de cadera / protese de quadril
surgery.knee = knee replacement / protesis de rodilla / protese de joelho
surgery.cataract = cataract surgery, cataract operation / catarata operada, cirugia de cataratas / catarata operada, cirurgia de catarata
surgery.hernia = hernia repair / herniorrafia, hernioplastia / herniorrafia, hernioplastia
surgery.amputation = amputation, amputated / amputacion, amputaciones, amputado / amputacao, amputacoes, amputado
surgery.bypass = bypass, cabg / bypass / ponte de safena, revascularizacao
pregnancy = pregnant, pregnancy / embarazo, embarazada, gestante / gravidez, gravida, gestante, gestacao
`);

/** Groups that a person has given up, and does not have for ever. */
export const HABITS: ReadonlySet<string> = new Set(['smoking', 'alcohol']);

export function problemsIn(tokens: readonly Token[], language: Language): readonly NamedThing[] {
  return findProblems(tokens, language);
}

/** A chart may have another language than the note. */
export function problemIdsOf(tokens: readonly Token[]): ReadonlySet<string> {
  return new Set(LANGUAGES.flatMap((language) => findProblems(tokens, language).map(({ id }) => id)));
}

/** True if who has `special` has `general`, too. */
export function isKindOf(special: string, general: string): boolean {
  return special === general || special.startsWith(`${general}.`);
}

// The findings that are most often asked for and denied, by their names and by the words of patients. A pain is a finding of the part of
// the body that hurts.

import { makeFindNamedThings, type NamedThing } from '../../../clinical-text/phrases/named-things.ts';
import type { Token } from '../../../clinical-text/tokens/tokens.ts';
import type { Language } from '../../language.ts';
import { findBodyParts } from './body-words.ts';

const findNamed = makeFindNamedThings(`
fever = fever, febrile / fiebre, febril, calentura / febre, febril
chills = chill, shiver*, rigors / escalofrio / calafrio
sweats = night sweat, sweat*, diaphor* / sudor*, sudando, diaforesis / suor, suores, suando, sudorese
fatigue = fatig*, tired*, exhaust* / fatiga, cansancio, cansad*, agotamiento / fadiga, cansaco, cansad*
weight loss = weight loss, lost weight, lose weight, losing weight / perdida peso, perdido peso, bajado peso, bajo de peso / perda peso, perdeu peso, perdi peso, emagrec*
weight gain = weight gain, gained weight / aumento de peso, ganado peso, subido peso / ganho de peso, ganhou peso
appetite loss = loss appetite, appetite loss, anorexia / perdida apetito, falta apetito, anorexia, inapetencia / perda apetite, falta apetite, inapetencia, anorexia
cough = cough* / tos, tose*, tosi* / tosse, tossi*, tossindo
sputum = sputum, phlegm, mucus / flema, esputo, expectora* / catarro, escarro, expectora*
hemoptysis = hemopty*, haemopty*, cough* up blood, cough* blood / hemoptisis, tos con sangre, tose* sangre / hemoptise, tosse com sangue
dyspnea = dyspn*, short* of breath, trouble breath*, difficult* breath*, hard to breath*, breathless*, cant breath*, problem breath* / disnea, falta de aire, falta aire, dificultad respirar, dificultad para respirar, ahogo, faltado el aire, falta el aire / dispneia, falta de ar, falta ar, dificuldade respirar, dificuldade para respirar
orthopnea = orthopn* / ortopnea / ortopneia
wheezing = wheez* / sibilan*, silbido, pitido / sibil*, chiado, chieira
palpitations = palpitat*, heart racing, racing heart, heart flutter* / palpitac*, taquicardia / palpitac*, taquicardia
syncope = syncop*, faint*, pass* out, blackout, black* out, loss of consciousness, lose|losing|lost consciousness / sincope, desmay*, perdida de conciencia, perdida conocimiento, perdido conocimiento / sincope, desmai*, perda de consciencia, perdeu consciencia
dizziness = dizz*, lighthead*, vertigo, light headed / mareo, maread*, vertigo / tontura, tont*, vertigem
edema = edema, oedema, swell*, swollen / edema, hinchazon, hinchad*, inflamad*, inflamacion / edema, inchaco, inchad*
nausea = nausea, nauseous, nauseat*, queas* / nausea, ganas de vomitar / nausea, enjoo, enjoad*
vomiting = vomit*, emesis, throw* up, threw up / vomit* / vomit*
diarrhea = diarr*, loose stool, loose bowel / diarrea, heces sueltas / diarreia
constipation = constipat* / estren*, constipac* / constipac*, prisao de ventre
blood in stool = blood stool, blood in stool, bloody stool, rectal bleed*, hematochez*, melena, black stool, tarry stool / sangre heces, sangre en heces, rectorragia, melena, heces negras / sangue fezes, sangue nas fezes, melena, fezes pretas
hematemesis = hematemesis, vomit* blood / hematemesis, vomit* sangre / hematemese, vomit* sangue
heartburn = heartburn, reflux, acid reflux / acidez, reflujo, pirosis / azia, refluxo, pirose
dysphagia = dysphag*, trouble swallow*, difficult* swallow*, hard to swallow / disfagia, dificultad tragar, dificultad para tragar / disfagia, dificuldade engolir, dificuldade para engolir
jaundice = jaundic*, icter* / icter* / icter*
dysuria = dysuri*, burn* urinat*, burn* pee, burn* when you pee, pain* urinat*, hurt* pee, hurt* urinat* / disuria, ardor al orinar, ardor orinar, arde orinar, dolor orinar, dolor al orinar, escozor orinar / disuria, ardencia urinar, ardor urinar, arde urinar, dor ao urinar, dor urinar, ardencia ao urinar
urinary frequency = urinary frequency, frequent urinat*, peeing more, urinat* more / frecuencia urinaria, polaquiuria, orinar mas / frequencia urinaria, polaciuria, urinar mais
hematuria = hematuri*, haematuri*, blood urine, blood in urine, blood your urine, blood pee / hematuria, sangre orina, sangre en orina / hematuria, sangue urina, sangue na urina
incontinence = incontinen*, lose|losing|lost control of bladder, lose|losing|lost bladder control / incontinen*, escape de orina / incontinen*
discharge = discharge / secrecion, flujo vaginal, descarga / corrimento, secrecao
bleeding = bleed*, hemorrhag* / sangrado, sangra*, hemorragia / sangramento, sangra*, hemorragia
rash = rash*, hives, urticaria, skin lesion / sarpullido, salpullido, erupcion, urticaria, ronchas, roncha / erupcao, urticaria, manchas na pele, mancha na pele, alergia na pele
itching = itch*, prurit* / picazon, comezon, prurito / coceira, prurido
headache = headache, migraine, head hurt* / cefalea, dolor de cabeza, dolor cabeza, duele cabeza, migrana, jaqueca / cefaleia, dor de cabeca, dor cabeca, enxaqueca
vision changes = vision change, blur*, vision problem, vision loss, double vision, diplop*, visual change, visual disturb*, changes in vision / vision borrosa, vision doble, cambios en la vision, diplop* / visao turva, visao dupla, visao embacada, diplop*
photophobia = photophob*, light bother*, sensitiv* to light / fotofobia, molesta la luz / fotofobia, incomoda a luz
neck stiffness = neck stiff*, stiff neck / rigidez de cuello, rigidez nuca, cuello rigido / rigidez de nuca, rigidez nuca, pescoco rigido
weakness = weak* / debilidad, debil / fraqueza, fraco, fraca
numbness = numb*, tingl*, paresthes*, pins and needles / entumec*, adormec*, hormigueo, parestes* / dormencia, formig*, parestes*
confusion = confus*, disorient* / confus*, desorient* / confus*, desorient*
seizure = seizure, convuls* / convuls*, crisis epilep* / convuls*, crise epilep*
speech trouble = slurr*, trouble speak*, difficult* speak*, speech difficult* / dificultad hablar, dificultad para hablar, disartria / dificuldade falar, dificuldade para falar, disartria
sore throat = sore throat, throat pain, throat hurt*, throat sore, odynophag* / dolor de garganta, dolor garganta, duele garganta, odinofagia / dor de garganta, dor garganta, garganta doi, odinofagia
congestion = congest*, runny nose, rhinorr*, stuffy nose / congest*, rinorrea, mocos, nariz tapada / congest*, coriza, rinorreia, nariz entupid*
ear discharge = otorrh*, ear drain* / otorrea, supura* / otorreia
hearing loss = hearing loss, trouble hearing, lost hearing / perdida de audicion, hipoacusia, perdida audicion / perda de audicao, perda auditiva, perda audicao
tinnitus = tinnitus, ringing ear / tinnitus, acufeno, zumbido / zumbido
depression = depress* / depres*, deprimid* / depress*, deprimid*
anxiety = anxi* / ansiedad, ansios* / ansiedade, ansios*
suicidal ideation = suicid*, hurt* yourself, hurt* myself, harm* yourself, harm* myself, self harm, kill* yourself, kill* myself / suicid*, hacerse dano, hacerte dano, hacerme dano / suicid*, se machucar, me machucar, se matar
homicidal ideation = homicid*, hurt* others, harm* others / homicid* / homicid*
hallucinations = hallucinat*, hearing voices, hear voices, see things / alucinac*, oye voces, oigo voces / alucinac*, ouve vozes, ouvindo vozes
insomnia = insomn*, trouble sleep* / insomnio, dificultad dormir, dificultad para dormir / insonia, dificuldade dormir, dificuldade para dormir
trauma = trauma*, injur*, fall, falls, fell / trauma*, golpe, caida, caid* / trauma*, queda, caiu, batida
loss of sensation = saddle anesth*, loss of sensation / anestesia silla, perdida de sensibilidad / anestesia em sela, perda de sensibilidade
tenderness = tender* / sensibilidad palpacion, dolor a la palpacion, dolor palpacion / dor a palpacao, dor palpacao, sensibilidade palpacao
rebound = rebound, guarding / rebote, defensa / descompressao, defesa
murmur = murmur / soplo / sopro
rales = rales, crackl*, rhonchi / crepit*, estertor*, roncus / crepit*, estertor*, ronco
erythema = erythem*, redness / eritema, enrojec* / eritema, vermelhidao
lymphadenopathy = lymphaden*, swollen gland, swollen lymph / adenopat*, linfadenopat*, ganglios inflamados / adenopat*, linfonodo*
smoking = smok*, tobacco, cigarett* / fuma*, tabaco, tabaquismo, cigarrill* / fuma*, tabaco, tabagismo, cigarro
alcohol = alcohol, drink* / alcohol, bebe, tomar alcohol / alcool, bebe, beber
drug use = recreational drug, illicit drug, drug use, street drug / droga, drogas / droga, drogas
pregnancy = pregnan* / embaraz* / gravid*, gravidez
travel = travel* / viaje, viaj* / viagem, viaj*
sick contacts = sick contact, contact sick, around anyone sick / contacto enfermo, contacto con enfermos / contato doente, contato com doentes
diabetes = diabet* / diabet* / diabet*
hypertension = hypertens*, high blood pressure / hipertens*, presion alta / hipertens*, pressao alta
asthma = asthma* / asma*  / asma, asmat*
heart disease = heart disease, heart attack, coronary / enfermedad cardiaca, infarto, enfermedad corazon / doenca cardiaca, infarto, doenca coracao
stroke = stroke / derrame cerebral, ictus, embolia / derrame, avc
cancer = cancer, malignan* / cancer, maligni* / cancer, maligni*
fracture = fractur*, broken bone / fractur* / fratur*
`);

const findPains = makeFindNamedThings(`
pain = pain*, ache, aches, aching, hurt*, sore, soreness, discomfort, tightness, pressure in / dolor*, duele*, doler, molestia, dolia / dor, dores, doi, doendo, doia, doer, dolorid*
`);

/** Tokens between a pain and the part of the body behind it: `pain in the chest, the arm or the back`. */
const PAIN_REACH = 7;

export function findFindings(tokens: readonly Token[], language: Language): readonly NamedThing[] {
  const named = findNamed(tokens, language);
  const taken = new Set(
    named.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, ahead) => first + ahead)),
  );
  const pains = findPains(tokens, language).filter(({ first }) => !taken.has(first));
  if (pains.length === 0) return named;
  const parts = new Map(
    findBodyParts(tokens, language)
      .filter(({ id, first }) => id !== 'side' && !taken.has(first))
      .map((part) => [part.first, part]),
  );
  const placed = pains.map((pain) => ({ pain, at: partsOf(pain, parts, tokens, language) }));
  const found = placed.flatMap(({ pain, at }) =>
    at.length === 0 ? [pain] : at.map((part) => ({ id: `pain:${part.id}`, ...spanOf(pain, part) })),
  );
  return [...named, ...found].toSorted((a, b) => a.first - b.first);
}

/** The parts before a pain (`chest pain`, `el pecho me duele`) or behind it (`pain in the chest or the arm`, `dolor de espalda`). */
function partsOf(
  pain: NamedThing,
  parts: ReadonlyMap<number, NamedThing>,
  tokens: readonly Token[],
  language: Language,
): readonly NamedThing[] {
  const sentence = tokens[pain.first]?.sentence;
  const near = Array.from({ length: 2 * PAIN_REACH + pain.end - pain.first }, (_, ahead) =>
    parts.get(pain.first - PAIN_REACH + ahead),
  )
    .filter((part) => part !== undefined)
    .filter(({ first }) => tokens[first]?.sentence === sentence);
  const before = near.filter(({ end, first }) => first < pain.end && end >= pain.first - 1 && end <= pain.end + 1);
  const behind = near.filter(({ first }) => first >= pain.end && first < pain.end + PAIN_REACH);
  const isBehindFirst = language !== 'en' && behind.some(({ first }) => first < pain.end + 3);
  return before.length > 0 && !isBehindFirst ? before.slice(-1) : behind;
}

function spanOf(one: NamedThing, other: NamedThing): Pick<NamedThing, 'first' | 'end'> {
  const [first, end] = [Math.min(one.first, other.first), Math.max(one.end, other.end)];
  return { first, end };
}

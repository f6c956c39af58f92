// The findings that are most often asked for and denied, by their technical names and by the words of patients, in the three languages. A
// note may deny in a technical word what was asked in a plain one.
import { makeFindNamedThings } from '../../../clinical-text/phrases/named-things.ts';
import { SENSES_AND_MIND } from './finding-words-mind.ts';

const BODY = `
fever = fever*, febrile, pyrexia, high temperature, a temperature / fiebre, fiebres, febril, calentura, febricula, destemplanza / febre, febres, febril, febricula
chills = chill, shiver*, rigor, rigors, shaking / escalofrio, tiritona, tirit*, tembladera / calafrio, tremedeira
sweats = night sweat, sweat*, diaphor* / sudor*, sudando, diaforesis / suor, suores, suando, sudorese, transpirando
fatigue = fatig*, tired*, exhaust*, no energy / fatiga, cansancio, cansad*, agotamiento, astenia, decaimiento / fadiga, cansaco, cansad*, astenia, indisposicao
weight loss = weight loss, wt loss, loss weight, lost weight, lose weight, losing weight, lost any weight / perdida peso, perdida ponderal, perdido peso, perdi peso, bajado peso, bajo de peso, bajada|bajadas de peso, adelgaz* / perda peso, perda ponderal, perdeu peso, perdi peso, perdendo peso, emagrec*
weight gain = weight gain, wt gain, gained weight, put on weight / aumento de peso, ganado peso, subido peso, engord* / ganho de peso, ganhou peso, engord*
appetite loss = loss appetite, appetite loss, anorexia, off food, poor appetite / perdida apetito, falta apetito, anorexia, inapetencia, hiporexia / perda apetite, falta apetite, inapetencia, anorexia, hiporexia
cough = cough* / tos, toses, tose*, tosi* / tosse, tossi*, tossindo
sputum = sputum, phlegm, mucus, expectorat* / flema, flemas, esputo, expectora* / catarro, escarro, expectora*
hemoptysis = hemopty*, haemopty*, cough* up blood, cough* blood, bring* up blood, spit* blood, blood sputum|phlegm, bloody sputum|phlegm / hemoptisis, tos con sangre, tose* sangre, escup* sangre, flema|flemas|esputo sangre, sangre flema|flemas|esputo / hemoptise, tosse com sangue, tossi* sangue, catarro|escarro sangue, sangue catarro|escarro, cuspi* sangue
dyspnea = dyspn*, sob, sobs, sobe, soboe, short* of breath, trouble breath*, difficult* breath*, hard to breath*, breathless*, out of breath, cant breath*, problem breath*, winded / disnea, falta de aire, falta aire, dificultad respirar, dificultad para respirar, ahogo, ahogos, ahogar*, ahoga, faltado el aire, falta el aire, cuesta respirar / dispneia, falta de ar, falta ar, dificuldade respirar, dificuldade para respirar, cansaco para respirar, folego curto
orthopnea = orthopn*, pillows / ortopnea, almohadas / ortopneia, travesseiros
wheezing = wheez* / sibilan*, silbido, pitido, pitito / sibil*, chiado, chieira, chiando
palpitations = palpitat*, heart racing, racing heart, heart flutter*, heart pounding, flutters / palpit*, taquicardia, corazon a mil, corazon acelerad*, corazon dispar*, corazon rapido, late rapido, latidos rapidos / palpit*, taquicardia, coracao acelerad*, batedeira, coracao dispar*, coracao rapido, coracao batendo, disparo
cyanosis = cyanos*, turn* blue, go blue, going blue, goes blue, went blue, blue lips, lips blue / cianosis, morado, labios azules, pone azul, puso azul / cianose, ficou roxo, ficou roxinho, labios roxos, arroxead*
choking = chok* / atragant*, atora* / engasg*
edema = edema, oedema, swell*, swollen, puffy, puffiness / edema, edemas, hinch*, inflamad*, inflamacion, inflam* / edema, edemas, inchac*, inchad*, incha, incham, inchou
nausea = nausea, nauseous, nauseat*, queas*, feel sick, feeling sick, felt sick, feel* sick / nausea, ganas de vomitar, ganas de devolver, asco / nausea, enjoo, enjoad*, ansia de vomito
vomiting = vomit*, emesis, throw* up, threw up, being sick, been sick / vomit*, devuelto, devolver / vomit*, emese
diarrhea = diarr*, loose stool, loose bowel, runny stool / diarrea, diarreas, heces sueltas, deposiciones liquidas / diarreia, diarreias, fezes moles, fezes liquidas
constipation = constipat* / estren*, constipac* / constipac*, prisao de ventre, intestino preso, obstipac*
bloating = bloat*, abdominal distension, distended / distension abdominal, barriga hinchada, vientre hinchado, gases / distensao abdominal, barriga inchada, estufad*, gases
blood in stool = blood stool, blood in stool, bloody stool, rectal bleed*, pr bleed*, hematochez*, haematochez*, melena, melaena, black stool, tarry stool, stool black, blood poo, blood back passage / sangre heces, sangre en heces, sangre deposicion, rectorragia, hematoquecia, melena, melenas, heces negras, heces oscuras, caca negra / sangue fezes, sangue nas fezes, melena, hematoquezia, fezes pretas, fezes escuras, fezes com sangue, sangue no coco
hematemesis = hematemesis, haematemesis, vomit* blood / hematemesis, vomit* sangre / hematemese, vomit* sangue
heartburn = heartburn, reflux, acid reflux, indigestion / acidez, reflujo, pirosis, agruras, ardor de estomago / azia, refluxo, pirose, queimacao no estomago
dysphagia = dysphag*, trouble swallow*, difficult* swallow*, hard to swallow, problem swallow*, cant swallow / disfagia, dificultad tragar, dificultad para tragar, no puede tragar, no puedo tragar, cuesta tragar, problemas para tragar / disfagia, dificuldade engolir, dificuldade para engolir, nao consegue engolir, nao consigo engolir, problema para engolir
drooling = drool* / babea*, sialorrea, baba, babas / babando, sialorreia, baba
coluria = dark urine, urine dark, coluria / coluria, orina oscura, orinas oscuras, orina como coca / coluria, urina escura, xixi escuro
jaundice = jaundic*, icter*, yellow skin|eyes, skin|eyes yellow, turn* yellow, gone yellow / icter*, piel amarilla, ojos amarillos, puesto amarillo, puso amarill*, pone amarill*, esta amarill*, estas amarill* / icter*, amarelou, esta amarel*, pele amarela, olhos amarelos, ficou amarel*, amarelao
lows = lows / bajada, bajadas, bajon, bajones / baixas
thirst = thirst*, polydips* / sed, polidips* / sede, polidips*
polyuria = polyuri*, passing lot water, pee lot, peeing lot, urinating lot / poliuri*, orina* mucho, mea mucho / poliuri*, urinando muito, urina* muito
nocturia = nocturi* / nicturi*, nocturi* / nocturi*, nicturi*
hypoglycemia = hypo, hypos, hypoglyc*, hypoglycaem*, low sugar, low blood sugar, sugar low / hipogluc*, hipoglic*, bajada* azucar, bajon* azucar, azucar bajo, azucar baja / hipoglic*, acucar baixo, acucar baixou, queda de acucar
dysuria = dysuri*, burn* urinat*, burn* urine, burn* pee, burn* when you pee, burn* pass* water|urine, sting* pee, sting* urinat*, pain* urinat*, hurt* pee, hurt* urinat* / disuria, ardor al orinar, ardor orinar, arde orinar, ardor orina, dolor orinar, dolor al orinar, escozor, quema orinar, molest* orinar / disuria, ardencia urinar, ardencia, ardor urinar, arde urinar, dor ao urinar, dor urinar, dor para urinar, ardencia ao urinar, queima* urinar
urinary frequency = urinary frequency, frequent urinat*, peeing more, urinat* more / frecuencia urinaria, polaquiuria, orinar mas, orina mas / frequencia urinaria, polaciuria, urinar mais, urina mais
hematuria = hematuri*, haematuri*, blood urine, blood in urine, blood your urine, blood pee, bloody urine / hematuria, sangre orina, sangre en orina, orina roja, orina sangre / hematuria, sangue urina, sangue na urina, urina sangue, xixi sangue
incontinence = incontinen*, lose|losing|lost control of bladder, lose|losing|lost bladder control, wet yourself / incontinen*, escape de orina, escapa la orina / incontinen*, escape de urina, escapa urina, perde urina
sphincter trouble = bladder trouble|problem|disturbance|dysfunction, bowel trouble|problem|disturbance|dysfunction, trouble bladder, trouble bowel, sphincter disturbance / alteracion esfinter*, alteraciones esfinter*, problema orinar, problemas orinar, retencion urinaria / alteracao esfincter*, alteracoes esfincter*, problema para urinar, retencao urinaria
contractions = contraction / contraccion, contracciones / contracao, contracoes
fluid loss = leaking fluid, fluid loss, lost fluid, waters broken|broke, losing fluid, fluid leak, leak* of fluid, loss of fluid, waters gone / perdido liquido, perdida de liquido, amniorrea, salida de liquido, salir liquido, liquido transvaginal, perdida de agua, salido agua, rompio la fuente / perda de liquido, perdeu liquido, perdido liquido, amniorreia, perda de la, saida de liquido, perdeu agua, bolsa rompeu
discharge = discharge, leucorrh*, leukorrh*, pus, purulent / secrecion, flujo vaginal, flujo, descarga, leucorre*, pus, secrecion purulenta / corrimento, secrecao, leucorre*, pus, secrecao purulenta
epistaxis = epistaxis, nosebleed*, nose bleed*, bleed* nose / epistaxis, sangr* nariz, nariz sangr*, sangre nariz / epistaxe, sangr* nariz, nariz sangr*, sangue nariz, sangramento nasal
gum bleeding = gum bleed*, bleed* gum, gums bleeding, gingivorrhag* / gingivorragia, sangr* encias, encias sangr* / gengivorragia, sangr* gengiva, gengiva sangr*
bruising = bruis*, ecchymos* / moret*, morat*, equimosis, cardenales / mancha* roxa, equimose*, roxo no corpo, manchas roxas
bleeding = bleed*, hemorrhag*, haemorrhag* / sangrado, sangra*, hemorragia, metrorragia / sangramento, sangra*, hemorragia, metrorragia
blood = blood, bloody / sangre / sangue
blood test = blood test*, blood count, blood result*, blood work, blood group / analisis de sangre, prueba de sangre, muestra de sangre, examen de sangre / exame de sangue, sangue oculto, coleta de sangue
blood pressure = blood pressure
blood sugar = blood sugar* / azucar en sangre / acucar no sangue
blood thinner = blood thinner*, anticoag* / anticoag* / anticoag*
rash = rash*, hives, urticaria, skin lesion, spots skin / sarpullido, salpullido, erupcion, urticaria, ronchas, roncha, exantema, granos / erupcao, urticaria, manchas na pele, mancha na pele, alergia na pele, exantema
itching = itch*, prurit*, pruritus, scratch* / picazon, comezon, prurito, pica, pican, picor, rasca, rascado / coceira, prurido, coca, cocar, cocando
lymphadenopathy = lymphaden*, lad, swollen gland, swollen lymph, lump* neck / adenopat*, linfadenopat*, ganglios, bultos cuello / adenopat*, linfonodo*, linfadenopat*, inguas, carocos pescoco
hoarseness = hoarse*, dysphoni*, lost voice / ronquera, ronco, ronca, disfonia, afonia, afonic* / rouquid*, rouco, rouca, disfonia, afonia
tenderness = tender* / sensibilidad palpacion, dolor a la palpacion, dolor palpacion / dor a palpacao, dor palpacao, sensibilidade palpacao
rebound = rebound, guarding / rebote, defensa / descompressao, defesa
murmur = murmur / soplo / sopro
rales = rales, crackl*, rhonchi / crepit*, estertor*, roncus / crepit*, estertor*, ronco
erythema = erythem*, redness / eritema, enrojec*, rojez / eritema, vermelhidao
trauma = trauma*, injur*, fall, falls, fell, fallen, falling over / trauma*, golpe, golpes, caida, caidas, caid*, cai, cayo, caer, caiste / trauma*, queda, quedas, caiu, cai, caindo, batida, pancada, cair, caido
head injury = head injur*, hit head, bang* head, bump* head / golpe* cabeza, tce, traumatismo crane* / bateu cabeca, bater cabeca, tce, pancada cabeca, traumatismo crani*
sickness = sickness, any sickness / malestar estomacal / mal estar no estomago
`;

export const findNamedFindings = makeFindNamedThings(`${BODY}\n${SENSES_AND_MIND}`);

export const findPains = makeFindNamedThings(`
pain = pain*, ache, aches, ached, aching, hurt*, sore, soreness, discomfort, tightness, pressure in / dolor*, duele*, doler, doli*, molestia, opresion / dor, dores, doi, doem, doendo, doia, doeu, doeram, doer, dolorid*, aperto
`);

/** A denial of the first is supported by a denial of the others, which say the same less exactly. */
export const LESS_EXACT: ReadonlyMap<string, readonly string[]> = new Map([
  ['hematuria', ['blood']],
  ['hemoptysis', ['blood']],
  ['hematemesis', ['blood']],
  ['blood in stool', ['blood', 'bleeding']],
  ['gum bleeding', ['bleeding']],
  ['epistaxis', ['bleeding']],
  ['bruising', ['bleeding']],
  ['ear discharge', ['discharge']],
  ['head injury', ['trauma']],
  ['hypoglycemia', ['lows']],
  ['pain:flank', ['pain:back']],
  ['pain:pelvis', ['pain:abdomen']],
  ['incontinence', ['sphincter trouble']],
  ['vision changes', ['aura']],
  ['bleeding', ['blood']],
  ['blood', ['blood in stool', 'hematuria', 'hemoptysis', 'hematemesis']],
  ['nausea', ['sickness']],
  ['vomiting', ['sickness']],
  ['dyspnea', ['fatigue']],
  ['skin cancer', ['cancer']],
]);

// What notes list as histories and habits: diseases, operations, devices, pregnancies, tobacco. Technical names and short forms are beside
// the words of patients, so that a note may write `HTN` for `high blood pressure`.
import { makeFindNamedThings } from '../../../../clinical-text/phrases/named-things.ts';

const DISEASES = `
diabetes = diabet*, dm, iddm, niddm, with sugar, has sugar, sugar problem, high sugar, sugar high / diabet*, dm, azucar alta|alto|elevada, azucar en la sangre, azucar sangre / diabet*, dm, acucar alto|alta, acucar sangue
gestational diabetes = gdm, gestational diabetes, diabet* pregnan* / dmg, diabetes gestacional, diabet* embarazo, azucar embarazo / dmg, diabetes gestacional, diabet* gravidez|gestacao
hypertension = htn, hypertens*, high blood pressure, blood pressure high, high bp, blood pressure tablet* / hta, has, hipertens*, presion alta, tension alta, hipertenso / has, hipertens*, pressao alta
infarction = mi, nstemi, stemi, heart attack, infarct* / iam, iamcest, iamsest, scacest, scasest, infart*, ataque corazon|cardiaco / iam, iamcsst, iamssst, infart*, enfart*, ataque cardiaco|coracao
coronary disease = ihd, cad, angina, coronary, acs / cardiopatia isquemica, angina, coronari* / dac, angina, coronari*, doenca coronariana
heart failure = ccf, chf, hf, hfref, hfpef, heart failure, weak heart, fluid heart / ic, icc, insuficiencia cardiaca, fallo cardiaco / ic, icc, icfer, insuficiencia cardiaca, coracao fraco
arrhythmia = af, afib, svt, atrial fibril*, atrial flutter, arrhythm*, irregular heart* / fa, fibrilacion, arritmia*, aleteo auricular / fa, fibrilacao, arritmia*
sudden death = sudden death, scd, dropped dead, died suddenly, sudden cardiac death / muerte subita, murio|muerto repente|subitamente|golpe / morte subita, morreu repente|subitamente
stroke = stroke, cva, tia, mini stroke / acv, acva, evc, ictus, derrame, embolia cerebral, ait / avc, ave, derrame, ait
thrombosis = dvt, vte, blood clot*, clot leg|lung, thrombos*, pulmonary embol* / tvp, tep, etv, tev, trombo*, coagulo, embolia pulmonar / tvp, tep, tev, trombo*, coagulo, embolia pulmonar
cholesterol = hyperlipid*, dyslipid*, hypercholest*, hld, cholesterol / dislipid*, dlp, hipercolest*, hiperlipid*, colesterol / dislipid*, dlp, hipercolest*, colesterol
asthma = asthma* / asma* / asma, asmat*
copd = copd, emphysema, chronic bronchitis / epoc, enfisema, bronquitis cronica / dpoc, enfisema, bronquite cronica
sleep apnea = osa, sleep apnea|apnoea / saos, sahs, apnea / saos, apneia
tuberculosis = tb, tubercul* / tbc, tubercul* / tb, tubercul*
skin cancer = bcc, scc, melanoma, skin cancer, cancer skin / cbc, cec, melanoma, cancer piel, basocelular, espinocelular / cbc, cec, melanoma, ca pele, cancer pele, basocelular, espinocelular
cancer = cancer, ca, malignan*, carcinoma, tumour, tumor, leukaemia, leukemia, lymphoma / cancer, ca, neoplasia, carcinoma, tumor, leucemia, linfoma / cancer, ca, neoplasia, carcinoma, tumor, leucemia, linfoma
dialysis = dialysis, haemodialysis, hemodialysis / dialisis, hemodialisis / dialise, hemodialise
kidney disease = ckd, aki, renal failure|disease|impairment, kidney failure|disease|trouble|problem, kidneys bad|failing / erc, irc, insuficiencia renal, enfermedad renal, problema rinon|rinones, rinones mal / drc, irc, insuficiencia renal, doenca renal, problema rim|rins
thyroid disease = hypothyroid*, hyperthyroid*, thyroid, graves / hipotiroid*, hipertiroid*, tiroid* / hipotireoid*, hipertireoid*, tireoid*
epilepsy = epilep* / epilep* / epilep*
migraine = migraine* / migran*, jaqueca / enxaqueca, migran*
depression = depress*, pnd, mdd / depres* / depress*
anxiety = anxi*, gad, panic attack / ansied*, ansios*, panico / ansied*, ansios*, panico
bipolar disorder = bipolar, bpad, manic depress* / bipolar, maniaco* / bipolar, maniaco*
psychosis = schizophren*, psychos*, psychotic / esquizofren*, psicosis, psicotic* / esquizofren*, psicose, psicotic*
dementia = dementia, alzheimer* / demencia, alzheimer* / demencia, alzheimer*
parkinson = parkinson* / parkinson* / parkinson*
suicide = suicid*, killed|hanged|hung himself|herself|themselves, took own|his|her life, overdose, self - harm*, harmed himself|herself|themselves, cut himself|herself / suicid*, quito|quitado|quitar la vida, quitarse la vida, se mato, ahorc*, tomo pastillas, autolesi* / suicid*, se matou, se matar, enforc*, tomou remedio|comprimido, automutil*
arthritis = arthritis, oa, rheumat* / artritis, artrosis, reuma* / artrite, artrose, reuma*
osteoporosis = osteopor*, thin bones / osteopor* / osteopor*
ulcer = pud, peptic|stomach|duodenal|gastric ulcer, ulcer stomach / ulcera gastrica|peptica|duodenal|estomago / ulcera gastrica|peptica|duodenal|estomago
reflux = gord, gerd, reflux, heartburn / erge, reflujo, acidez / drge, refluxo, azia
liver disease = cirrhosis, hepatitis, liver disease|trouble|problem / cirrosis, hepatitis, enfermedad hepatica, higado / cirrose, hepatite, doenca hepatica, figado
pancreatitis = pancreatit* / pancreatit* / pancreatit*
gallstones = gallston*, cholelith* / colelitiasis, calculo|piedra vesicula / colelitiase, pedra|calculo vesicula
kidney stones = kidney|renal stone*, renal colic, nephrolith* / litiasis renal|renoureteral, calculo|piedra renal|rinon, colico nefritico|renal / litiase renal, pedra|calculo renal|rim|rins, colica renal
prostate disease = bph, prostat*, turp / hbp, hpb, prostat*, rtup / hpb, prostat*, rtup
hiv = hiv / vih / hiv
anemia = anaemi*, anemi*, low iron / anemi* / anemi*
psoriasis = psoria* / psoria* / psoria*
eczema = eczema, atopic dermat* / eczema, dermatitis atopica / eczema, dermatite atopica
hay fever = hay fever, allergic rhinit* / rinitis alergica / rinite alergica
deafness = deaf*, hearing loss, hearing aid / sordera, sordo|sorda, hipoacusia, audifono / surdez, surdo|surda, hipoacusia
chlamydia = chlamyd*, gonorrh*, syphilis / clamidia, gonorrea, sifilis / clamidia, gonorreia, sifilis
pelvic infection = pid, infection tube*|pelvi* / epi, eip, infeccion pelvica|trompas / dip, infeccao pelvica|trompas
thrush = thrush, candid* / candid*, hongos / candid*, sapinho
pneumonia = pneumonia, chest infection / neumonia, nac, pulmonia / pneumonia, pnm, pac
ear infection = aom, otitis, ear infection* / oma, otitis / oma, otite
covid = covid, coronavirus / covid, coronavirus / covid, coronavirus
shingles = shingles, zoster / herpes zoster, culebrilla / herpes zoster, cobreiro
chickenpox = chickenpox, varicella / varicela / varicela, catapora
meningitis = meningit* / meningit* / meningit*
inflammatory bowel disease = ibd, crohn*, colitis / crohn*, colitis / crohn*, colite, retocolite
irritable bowel = ibs, irritable bowel / colon irritable, intestino irritable / intestino irritavel, colon irritavel
celiac disease = coeliac, celiac / celia* / celia*
diverticulitis = diverticul* / diverticul* / diverticul*
polyps = polyp, polyps / polipo / polipo
hemorrhoids = haemorrh*, hemorrhoid*, piles / hemorroid*, almorranas / hemorroid*
lupus = lupus, sle / lupus, les / lupus
fibromyalgia = fibromyalg* / fibromialg* / fibromialg*
multiple sclerosis = multiple sclerosis / esclerosis multiple / esclerose multipla
sickle cell = sickle / drepanocit*, falciforme / falciforme
hemophilia = haemophil*, hemophil* / hemofil* / hemofil*
glaucoma = glaucoma / glaucoma / glaucoma
polycystic ovaries = pcos, polycystic ovar* / sop, ovario poliquistico / sop, ovario policistico
endometriosis = endometrio* / endometrio* / endometrio*
fibroids = fibroid*, myoma / mioma, miomatosis / mioma
ovarian cyst = ovarian cyst, cyst ovar* / quiste ovar* / cisto ovar*
rheumatic fever = rheumatic fever / fiebre reumatica / febre reumatica
cardiomyopathy = cardiomyop*, hcm / miocardiop* / miocardiop*, cardiomiop*
aneurysm = aneurysm* / aneurisma* / aneurisma*
chagas = chagas / chagas / chagas
varicose veins = varicose, varicos* / varices, varicos* / varizes, varicos*
artery disease = pvd, pad, claudic* / claudic*, arteriopat* / claudic*, daop
neuropathy = neuropath* / neuropat* / neuropat*
retinopathy = retinopath*, laser eye / retinopat* / retinopat*
amputation = amputat* / amput* / amput*
attention deficit = adhd / tdah / tdah
autism = autis*, asd / autis*, tea / autis*
obsessive disorder = ocd, obsessive / toc, obsesiv* / toc, obsessiv*
trauma disorder = ptsd, post traumatic, post - traumatic / tept, estres postraumatico / tept, estresse traumatico
eating disorder = bulimi*, anorexia nervosa, eating disorder / bulimi*, trastorno alimentario|alimenticio / bulimi*, transtorno alimentar
concussion = concuss* / conmocion / concuss*
obesity = obes* / obes* / obes*
urinary infection = uti, utis, urinary infection*, water infection*, pyelonephr*, cystitis / itu, infeccion urinaria|orina, pielonefr*, cistitis / itu, infeccao urinaria|urina, pielonefr*, cistite
malaria = malaria / malaria, paludismo / malaria
dengue = dengue / dengue / dengue
sciatica = sciatica / ciatica / ciatica
disc prolapse = disc prolapse, prolapsed|slipped disc, disc hernia* / hernia disco|discal / hernia disco|discal
vertigo = bppv, labyrinth* / vppb, laberint* / vppb, labirint*
infertility = infertil*, ivf / infertil*, esteril*, fiv / infertil*, esteril*, fiv
menopause = menopaus* / menopaus* / menopaus*
pre-diabetes = prediabet*, pre - diabet*, borderline diabet* / prediabet* / pre - diabet*, prediabet*
cataract = cataract* / catarata / catarata
`;

const OPERATIONS = `
appendix = append* / apendi* / apendi*
gallbladder operation = cholecystectom*, gallbladder, gall bladder / colecistectom*, vesicula / colecistectom*, vesicula
hysterectomy = hysterectom*, womb out|removed|taken, uterus out|removed|taken, took womb / histerectom*, sacaron|quitaron|operaron utero|matriz / histerectom*, tirei|tirou|tiraram utero
hernia = hernia, herniorrh*, hernioplast* / hernia, herniorra*, hernioplast*, herniorraf* / hernia, herniorraf*, hernioplast*
tonsils = tonsil*, adenoid* / amigdal*, adenoid* / amigdal*, adenoid*
cesarean = lscs, caesar*, cesar*, c - section, csection, a|previous section / cesarea / cesarea, cesariana, cesareana
ectopic pregnancy = ectopic / ectopico / ectopica
pre-eclampsia = eclampsia, preeclampsia, pre - eclampsia, pre eclampsia / eclampsia, preeclampsia / eclampsia, preeclampsia, pre - eclampsia, pre eclampsia
joint replacement = hip|knee replac*, thr, tkr, new hip|knee, hip|knee done / protesis cadera|rodilla, cadera|rodilla operada, operaron cadera|rodilla / protese quadril|joelho, quadril|joelho operado, operei|operou quadril|joelho
thyroid operation = thyroidectom* / tiroidectom*, operaron|sacaron tiroides / tireoidectom*, operei|tirei|tirou tireoide
mastectomy = mastectom*, lumpectom*, breast removed / mastectom*, cuadrantectom* / mastectom*, quadrantectom*
vasectomy = vasectom* / vasectom* / vasectom*
sterilisation = tubal ligation, tubes tied, sterilis*, steriliz* / ligadura, salpingoclasia, otb / laqueadura, ligadura
weight operation = bariatric, gastric sleeve|bypass|band, sleeve gastr* / bariatric*, manga gastrica, bypass gastrico / bariatric*, reducao estomago
joint operation = arthroscop*, meniscect*, acl repair|reconstruction, knee|shoulder|hip operation|surgery / artroscop*, menisc*, operaron rodilla|hombro / artroscop*, menisc*, operei|operou joelho|ombro
spine operation = laminectom*, discectom*, spinal fusion, back operation|surgery / laminectom*, discectom*, operaron columna|espalda / laminectom*, discectom*, operei|operou coluna
bowel operation = colectom*, hemicolectom*, stoma, colostom*, ileostom* / colectom*, hemicolectom*, colostom*, ileostom* / colectom*, hemicolectom*, colostom*, ileostom*
transplant = transplant* / trasplant*, transplant* / transplant*
splenectomy = splenectom*, spleen out|removed / esplenectom*, bazo / esplenectom*, baco
curettage = d&c, curett*, surgical management / legrado, lui / curetagem
heart valve = valve replac*, avr, mvr, mechanical|metal valve, new valve / valvula mecanica, protesis valvular, recambio valvular / valvula mecanica, protese valvar|valvular, troca valvar|valvula
stent = stent*, angioplast*, pci, cabg, bypass / stent*, angioplast*, bypass, revasculariz* / stent*, angioplast*, ponte safena, revasculariz*
pacemaker = pacemaker, ppm, icd, defibrillator / marcapaso, desfibrilador / marcapasso, marca - passo, desfibrilador
intubation = intubat*, ventilator, icu, itu / intub*, iot, uci / intub*, entub*, iot, uti
grommets = grommet* / colleras, diabolo, tubos de ventilacion / tubinho, tubo de ventilacao, carretel
transfusion = transfus* / transfus* / transfus*
fracture = fractur*, fx, broke, broken / fractur*, fx, roto, rota, rompi*, quebr* / fratur*, fx, quebr*
`;

const HABITS = `
smoking = smok*, tobacco, cigar* / fuma, fumar, fumas, fumo, fume, fumaba, fumando, fumad*, tabaq*, tabac*, cigarr*, pitillo / fuma, fumar, fumo, fumei, fumava, fumando, fumante, fumou, tabag*, cigarr*
vaping = vape*, vaping / vape*, vaper / vape*, cigarro eletronico
alcohol = alcohol*, etoh, drink*, drank, beer*, wine, whisk*, vodka, pint / alcohol*, oh, enol*, etil*, bebo, bebe, beber, bebia, bebiendo, cerve*, vino, trago, copas / alcool*, etil*, bebo, bebe, beber, bebia, bebida, bebendo, bebeu, cervej*, vinho, cachaca, pinga
cannabis = cannabis, marijuana, weed / cannabis, marihuana, porro, mota / cannabis, maconha, baseado
drugs = cocaine, heroin, ivdu, recreational|illicit|street drug / cocaina, heroina, droga / cocaina, heroina, crack, droga
`;

export const HABIT_IDS: ReadonlySet<string> = new Set(['smoking', 'vaping', 'alcohol', 'cannabis', 'drugs']);

/** A clinician calls so what a patient describes in other words, so that it was not invented if it was not named. */
export const DESCRIBED: ReadonlySet<string> = new Set([
  'obesity',
  'menopause',
  'neuropathy',
  'sciatica',
  'vertigo',
  'urinary infection',
  'ovarian cyst',
  'hemorrhoids',
  'concussion',
  'curettage',
  'reflux',
  'eczema',
  'anxiety',
  'depression',
  'psychosis',
  'varicose veins',
  'artery disease',
  'retinopathy',
  'anemia',
  'arthritis',
  'deafness',
  'prostate disease',
  'liver disease',
]);

export const findHistories = makeFindNamedThings([DISEASES, OPERATIONS, HABITS].join('\n'));

/** What says the same less exactly, and supports or denies it if it was not named itself. */
export const BROADER: ReadonlyMap<string, readonly string[]> = new Map([
  ['gestational diabetes', ['diabetes']],
  ['skin cancer', ['cancer']],
  ['infarction', ['coronary disease']],
  ['coronary disease', ['infarction']],
  ['copd', ['asthma']],
  ['dialysis', ['kidney disease']],
  ['kidney disease', ['dialysis']],
  ['thyroid operation', ['thyroid disease']],
  ['joint operation', ['joint replacement', 'fracture']],
  ['joint replacement', ['joint operation', 'fracture']],
  ['disc prolapse', ['sciatica', 'spine operation']],
  ['pre-diabetes', ['diabetes']],
  ['mastectomy', ['cancer']],
  ['bowel operation', ['cancer']],
  ['transplant', ['kidney disease', 'liver disease']],
  ['polyps', ['cancer']],
  ['sterilisation', ['hysterectomy']],
  ['retinopathy', ['diabetes']],
  ['stent', ['infarction', 'coronary disease']],
]);

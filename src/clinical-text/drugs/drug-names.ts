// Names of common drugs: international names, other names in the three languages, and common brands. Brands of two drugs have a list of
// their own. This is no formulary: a drug that is not listed is only recognised by the end of its name.

/** `name = other names` is one drug. Regular endings and spellings of the languages need not be listed (see find-drugs.ts). */
export const DRUGS = `
acetaminophen = paracetamol tylenol panadol tempra tachipirin apiretal gelocatil calpol efferalgan doliprane; ibuprofen = advil motrin nurofen alivium;
naproxen = aleve naprosyn; aspirin = acetilsalicilico acetylsalicylic ecotrin bayaspirina aspirineta adiro; diclofenac = voltaren cataflam;
ketorolac = toradol toragesic; meloxicam = mobic; celecoxib = celebrex; indomethacin = indocin indometacin; etoricoxib = arcoxia;
metamizole = dipyrone dipirona novalgin nolotil metamizol; nimesulide; ketoprofen = profenid; dexketoprofen = enantyum; bromopride = bromoprida digesan; meprednisone = deltisona meprednisona; chlorphenamine; piroxicam = feldene; nabumetone;
hyoscine = scopoderm butylscopolamine scopolamine buscopan buscapina escopolamina; colchicine = colcrys; allopurinol = zyloprim; febuxostat = uloric;
tramadol = ultram tramal; morphine = oramorph sevredol dimorf; oxycodone = oxycontin roxicodone; hydrocodone; codeine; fentanyl = duragesic;
hydromorphone = dilaudid; methadone; buprenorphine = subutex; naloxone = narcan; naltrexone; tapentadol = nucynta; meperidine = demerol petidine;
gabapentin = neurontin; pregabalin = lyrica; carbamazepine = tegretol; oxcarbazepine = trileptal; lamotrigine = lamictal;
levetiracetam = keppra; topiramate = topamax; valproate = valproic depakote depakene divalproex valproico; phenytoin = dilantin epamin;
phenobarbital = gardenal; lacosamide = vimpat; zonisamide = zonegran; clobazam; primidone = mysoline;
amoxicillin = amoxil; clavulanate = clavulanic clavulanico; ampicillin; penicillin = benzathine bicillin benzetacil; dicloxacillin;
nafcillin; oxacillin; flucloxacillin; piperacillin; tazobactam; sulbactam; cephalexin = keflex; cefadroxil; cefazolin = ancef;
cefuroxime = ceftin zinacef; cefaclor; cefdinir = omnicef; cefixime = suprax; cefpodoxime; ceftriaxone = rocephin; cefotaxime; ceftazidime;
cefepime; meropenem; ertapenem = invanz; imipenem; aztreonam; azithromycin = zithromax azitromax; clarithromycin = biaxin; erythromycin;
clindamycin = cleocin dalacin; vancomycin; linezolid = zyvox; daptomycin; doxycycline = vibramycin; minocycline; tetracycline;
ciprofloxacin = cipro; levofloxacin = levaquin; moxifloxacin = avelox; norfloxacin; ofloxacin; metronidazole = flagyl; tinidazole; secnidazole;
nitrofurantoin = macrobid macrodantin; fosfomycin = monurol; trimethoprim; sulfamethoxazole; sulfadiazine; sulfasalazine = azulfidine;
gentamicin; amikacin; tobramycin; rifampin = rifampicin; isoniazid; ethambutol; pyrazinamide; mupirocin = bactroban; bacitracin; neomycin;
rifaximin = xifaxan; fidaxomicin; fluconazole = diflucan; itraconazole = sporanox; ketoconazole = nizoral; voriconazole;
clotrimazole = lotrimin canesten; miconazole = monistat; terbinafine = lamisil; nystatin; griseofulvin; amphotericin = anfotericin;
acyclovir = zovirax; valacyclovir = valtrex; famciclovir; oseltamivir = tamiflu; nirmatrelvir; ritonavir = norvir; lamivudine = epivir;
tenofovir = viread; emtricitabine; zidovudine = retrovir; dolutegravir = tivicay; efavirenz; raltegravir; abacavir; entecavir; sofosbuvir;
remdesivir; albendazole; mebendazole; ivermectin; permethrin; praziquantel; hydroxychloroquine = plaquenil; chloroquine; quinine;
lisinopril = zestril prinivil; enalapril = vasotec renitec; ramipril = altace; captopril = capoten; benazepril = lotensin; perindopril;
quinapril = accupril; fosinopril; losartan = cozaar; valsartan = diovan; irbesartan = avapro; candesartan = atacand; olmesartan = benicar;
telmisartan = micardis; sacubitril; amlodipine = norvasc anlodipino; nifedipine = procardia adalat; felodipine; diltiazem = cardizem;
verapamil; lercanidipine; metoprolol = lopressor toprol; atenolol = tenormin; propranolol = inderal; bisoprolol = concor;
carvedilol = coreg; nebivolol = bystolic; labetalol = trandate; sotalol = betapace; timolol; nadolol;
hydrochlorothiazide = hctz microzide; chlorthalidone = clortalidon; indapamide; furosemide = lasix; torsemide = demadex torasemide;
bumetanide = bumex; spironolactone = aldactone; eplerenone = inspra; amiloride; triamterene; acetazolamide = diamox; clonidine = catapres;
hydralazine = apresoline; methyldopa = aldomet; minoxidil; doxazosin = cardura; prazosin = minipress; terazosin = hytrin;
tamsulosin = flomax tansulosina; alfuzosin = uroxatral; finasteride = proscar propecia; dutasteride = avodart; isosorbide = imdur isordil;
nitroglycerin = nitrostat trinitrin nitroglicerina cafinitrina vernies trinitrate trinitrato; digoxin = lanoxin; amiodarone = cordarone pacerone; flecainide; dronedarone = multaq; adenosine;
ivabradine = procoralan; ranolazine = ranexa; procainamide; quinidine; propafenone; atorvastatin = lipitor; simvastatin = zocor sinvastatin;
rosuvastatin = crestor; pravastatin = pravachol; lovastatin; pitavastatin; ezetimibe = zetia; fenofibrate = tricor; gemfibrozil = lopid;
niacin; alirocumab; evolocumab = repatha; warfarin = coumadin marevan; acenocoumarol = sintrom acenocumarol; apixaban = eliquis; rivaroxaban = xarelto;
dabigatran = pradaxa; edoxaban; heparin; enoxaparin = lovenox clexane; dalteparin; fondaparinux; clopidogrel = plavix; ticagrelor = brilinta;
prasugrel = effient; alteplase; tranexamic = tranexamico; vasopressin; epinephrine = adrenaline epipen; norepinephrine = noradrenaline;
dopamine; dobutamine; ephedrine; phenylephrine; atropine;
metformin = glucophage; glipizide = glucotrol; glyburide = glibenclamide; glimepiride = amaryl; gliclazide = diamicron; pioglitazone;
sitagliptin = januvia; linagliptin = tradjenta; saxagliptin = onglyza; vildagliptin = galvus; empagliflozin = jardiance;
dapagliflozin = farxiga forxiga; canagliflozin = invokana; semaglutide = ozempic wegovy rybelsus; liraglutide = victoza saxenda;
dulaglutide = trulicity; tirzepatide = mounjaro zepbound; exenatide = byetta; insulin = insulina; glargine = lantus basaglar toujeo;
lispro = humalog; aspart = novolog novorapid; detemir = levemir; degludec = tresiba; glulisine = apidra; humulin; novolin; glucagon; acarbose;
levothyroxine = thyroxine tiroxina synthroid levoxyl euthyrox eutirox puran; liothyronine = cytomel; methimazole = tapazole; propylthiouracil;
prednisone = deltasone meticorten; prednisolone; methylprednisolone = medrol solumedrol; dexamethasone = decadron; hydrocortisone = cortef;
betamethasone; triamcinolone = kenalog; budesonide = pulmicort; fluticasone = flonase flovent; mometasone = nasonex; beclomethasone = qvar;
fludrocortisone; clobetasol; desonide; testosterone; estradiol; progesterone; medroxyprogesterone = provera; levonorgestrel; norethindrone;
ethinylestradiol; raloxifene = evista; tamoxifen; letrozole; anastrozole = arimidex; alendronate = fosamax alendronic; risedronate = actonel;
ibandronate = boniva; denosumab = prolia; teriparatide; calcitriol; cholecalciferol = colecalciferol; cabergoline; desmopressin; octreotide;
omeprazole = prilosec losec; esomeprazole = nexium; pantoprazole = protonix; lansoprazole = prevacid; rabeprazole = aciphex;
famotidine = pepcid; ranitidine = zantac; cimetidine = tagamet; sucralfate = carafate; misoprostol = cytotec; ondansetron = zofran vonau;
metoclopramide = reglan plasil primperan; promethazine = phenergan; prochlorperazine = compazine; domperidone = motilium; dimenhydrinate = dramamine dramin;
meclizine = antivert; loperamide = imodium imosec fortasec; diphenoxylate = lomotil; bismuth = pepto; polyethylene = miralax macrogol movicol; lactulose; sennosides = senokot;
bisacodyl = dulcolax; docusate = colace; psyllium = metamucil; simethicone = simeticone; mesalamine = mesalazine; dicyclomine = bentyl;
ursodiol = ursodeoxycholic; linaclotide = linzess; azathioprine = imuran; mercaptopurine; methotrexate; leflunomide; cyclosporine = ciclosporin;
tacrolimus = prograf tacrolimo; mycophenolate = cellcept; infliximab = remicade; adalimumab = humira; etanercept = enbrel; rituximab; ustekinumab;
omalizumab = xolair; dupilumab = dupixent; tofacitinib = xeljanz; cyclophosphamide; cycloserine; vincristine; vinblastine; cisplatin; carboplatin;
imatinib; albuterol = salbutamol ventolin proventil aerolin; levalbuterol = xopenex; ipratropium = atrovent ipratropio; tiotropium = spiriva tiotropio;
salmeterol = serevent; formoterol; montelukast = singulair; zafirlukast; theophylline; benzonatate = tessalon; guaifenesin = mucinex;
dextromethorphan = delsym; pseudoephedrine = sudafed; chlorpheniramine = clorfenamina; cetirizine = zyrtec; levocetirizine = xyzal;
loratadine = claritin; desloratadine = clarinex; fexofenadine; diphenhydramine = benadryl difenidramina; hydroxyzine = atarax vistaril;
ambroxol; acetylcysteine = mucomyst fluimucil; azelastine; oxymetazoline = afrin;
sertraline = zoloft; fluoxetine = prozac; paroxetine = paxil; citalopram = celexa; escitalopram = lexapro; fluvoxamine = luvox;
venlafaxine = effexor; desvenlafaxine = pristiq; duloxetine = cymbalta; bupropion = wellbutrin zyban; mirtazapine = remeron; trazodone = desyrel;
amitriptyline = elavil; nortriptyline = pamelor; imipramine = tofranil; clomipramine = anafranil; doxepin; vortioxetine = trintellix;
buspirone = buspar; lithium = litio lithobid; alprazolam = xanax; lorazepam = ativan; diazepam = valium; clonazepam = klonopin rivotril;
temazepam = restoril; midazolam; chlordiazepoxide = librium; bromazepam; zolpidem = ambien; eszopiclone = lunesta; zopiclone; melatonin;
quetiapine = seroquel; olanzapine = zyprexa; risperidone = risperdal; aripiprazole = abilify; ziprasidone = geodon; haloperidol = haldol;
clozapine = clozaril; lurasidone = latuda; paliperidone = invega; chlorpromazine = thorazine; chlorpropamide; perphenazine; levomepromazine;
methylphenidate = ritalin; amphetamine = adderall anfetamin; lisdexamfetamine = vyvanse; atomoxetine = strattera; modafinil = provigil;
guanfacine = intuniv; donepezil = aricept; memantine = namenda; rivastigmine = exelon; galantamine; levodopa; carbidopa; pramipexole = mirapex;
ropinirole = requip; rasagiline; amantadine; benztropine = cogentin; biperiden = akineton; baclofen = lioresal; cyclobenzaprine = flexeril;
tizanidine = zanaflex; methocarbamol = robaxin; carisoprodol; dantrolene; sumatriptan = imitrex; rizatriptan = maxalt; zolmitriptan;
eletriptan = relpax; ergotamine; erenumab = aimovig; rimegepant = nurtec; propofol; ketamine; etomidate; lidocaine = xylocaine lignocaine;
bupivacaine; ropivacaine; rocuronium; succinylcholine; neostigmine; disulfiram; varenicline = chantix; acamprosate; oxybutynin = ditropan;
tolterodine = detrol; solifenacin = vesicare; mirabegron = myrbetriq; phenazopyridine = pyridium; sildenafil = viagra; tadalafil = cialis;
vardenafil = levitra; tretinoin; isotretinoin = accutane roacutan; adapalene = differin; benzoyl; latanoprost = xalatan; brimonidine; dorzolamide;
folic = folico folate folato; ferrous = ferroso iron hierro ferro; cyanocobalamin; thiamine; pyridoxine; penicillamine; deferasirox; erythropoietin = epoetin eritropoetina eritropoyetina;
filgrastim; hydroxyurea; ondexxya; sevelamer; calcium = calcio; magnesium = magnesio; potassium = potasio potassio; zinc; oxytocin = ocitocina; terbutaline; nitroprusside; mannitol; glycopyrrolate;
rimantadine; sufentanil; remifentanil; alfentanil; metolazone; chlorothiazide; valganciclovir; ganciclovir; rosiglitazone; nateglinide; repaglinide;
trospium; darifenacin; fesoterodine; lofexidine; pimozide; thioridazine; fluphenazine; loxapine; asenapine; brexpiprazole; cariprazine = vraylar;
vilazodone; nefazodone; phenelzine; tranylcypromine; selegiline; triazolam; oxazepam; clorazepate; flurazepam; suvorexant; ramelteon; doxylamine;
butorphanol; nalbuphine; pentazocine; oxymorphone; etodolac; sulindac; flurbiprofen; aceclofenac; nepafenac; tolmetin; probenecid; sulfinpyrazone;
cefotetan; cefoxitin; ceftaroline; doripenem; tigecycline; telavancin; polymyxin; colistin; chloramphenicol; dapsone; rifabutin; bedaquiline;
posaconazole; caspofungin; micafungin; anidulafungin; peramivir; zanamivir; baloxavir; nelfinavir; darunavir; atazanavir; rilpivirine; nevirapine;
mefloquine; primaquine; artemether; pentamidine; nitazoxanide; pyrantel; atovaquone; proguanil; aliskiren; nicardipine; nimodipine; isradipine;
esmolol; pindolol; acebutolol; milrinone; levosimendan; dofetilide; ibutilide; mexiletine; disopyramide; bempedoic; colestipol;
cholestyramine; colesevelam; argatroban; bivalirudin; tinzaparin; tenecteplase; cilostazol; pentoxifylline; dipyridamole; vorapaxar; riociguat;
bosentan; ambrisentan; macitentan; treprostinil; epoprostenol; alogliptin; ertugliflozin; bexagliflozin; lixisenatide; pramlintide; miglitol;
carbimazole; ergocalciferol; zoledronic; pamidronate; romosozumab; abaloparatide; cinacalcet; bromocriptine; somatropin; leuprolide; goserelin;
clomiphene; norgestimate; drospirenone; desogestrel; etonogestrel; ulipristal; mifepristone; megestrol; danazol; exemestane; fulvestrant;
dexlansoprazole; nizatidine; granisetron; palonosetron; trimethobenzamide; aprepitant; glycerin; lubiprostone; prucalopride; alosetron;
eluxadoline; vedolizumab; golimumab; certolizumab; secukinumab; ixekizumab; risankizumab; guselkumab; tocilizumab; abatacept; anakinra;
baricitinib; upadacitinib; sirolimus = sirolimo; everolimus = everolimo; fluorouracil; capecitabine; gemcitabine; doxorubicin; daunorubicin; paclitaxel; docetaxel;
oxaliplatin; etoposide; irinotecan; bleomycin; cytarabine; bortezomib; lenalidomide; thalidomide; pembrolizumab; nivolumab; trastuzumab;
bevacizumab; umeclidinium; glycopyrronium; vilanterol; indacaterol; arformoterol; roflumilast; mepolizumab; benralizumab; ciclesonide; cromolyn;
carbinoxamine; brompheniramine; cyproheptadine; bilastine; ebastine; rupatadine; dexchlorpheniramine; phenylpropanolamine; bromhexine; levodropropizine;
orphenadrine; metaxalone; pyridostigmine; riluzole; tetrabenazine; entacapone; tolcapone; apomorphine; rotigotine; naratriptan; frovatriptan;
ubrogepant; galcanezumab; fremanezumab; perampanel; brivaracetam; rufinamide; vigabatrin; ethosuximide; felbamate; tiagabine; cenobamate;
betaxolol; travoprost; bimatoprost; tropicamide; cyclopentolate; pilocarpine; dexmedetomidine; vecuronium; cisatracurium; sugammadex; flumazenil;
physostigmine; edrophonium; bethanechol; imiquimod; calcipotriene; tacalcitol; fluocinonide; fluocinolone; halobetasol; clascoterone; selenium;
`;

/** `name = drugs` is a brand with its substances. A mention of the brand names each of them. */
export const COMBINATIONS = `
augmentin = amoxicillin clavulanate; clavulin = amoxicillin clavulanate; bactrim = sulfamethoxazole trimethoprim; septra = sulfamethoxazole trimethoprim;
cotrimoxazole = sulfamethoxazole trimethoprim; careldopa = levodopa carbidopa; sinemet = levodopa carbidopa; prolopa = levodopa benserazide; madopar = levodopa benserazide;
coamoxiclav = amoxicillin clavulanate; amoxiclav = amoxicillin clavulanate; codamol = codeine acetaminophen; zosyn = piperacillin tazobactam; tazocin = piperacillin tazobactam; unasyn = ampicillin sulbactam;
percocet = oxycodone acetaminophen; vicodin = hydrocodone acetaminophen; norco = hydrocodone acetaminophen; suboxone = buprenorphine naloxone;
symbicort = budesonide formoterol; advair = fluticasone salmeterol; seretide = fluticasone salmeterol; combivent = ipratropium albuterol;
duoneb = ipratropium albuterol; entresto = sacubitril valsartan; janumet = sitagliptin metformin;
zestoretic = lisinopril hydrochlorothiazide; hyzaar = losartan hydrochlorothiazide; paxlovid = nirmatrelvir ritonavir; truvada = emtricitabine tenofovir;
biktarvy = emtricitabine tenofovir; excedrin = acetaminophen aspirin; dyazide = triamterene hydrochlorothiazide;
`;

/** A mention of one of these also counts as insulin. */
export const INSULINS = [
  'glargine',
  'lispro',
  'aspart',
  'detemir',
  'degludec',
  'glulisine',
  'humulin',
  'novolin',
] as const;

/** Minerals are drugs if they are taken, and no drugs as blood values. */
export const MINERALS = 'calcium calcio magnesium magnesio potassium potasio potassio zinc iron hierro ferro'.split(
  ' ',
);

/** Short forms, written in capitals. In speech the recogniser writes them so, too. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  aas: 'aspirin',
  asa: 'aspirin',
  gtn: 'nitroglycerin',
  ntg: 'nitroglycerin',
  mtx: 'methotrexate',
  inh: 'isoniazid',
  apap: 'acetaminophen',
  nph: 'insulin',
};

/** Names as notes and clinicians clip them; two drugs if it may be either. */
export const CLIPPED_NAMES: Readonly<Record<string, string>> = {
  pred: 'prednisolone prednisone',
  amox: 'amoxicillin',
  clinda: 'clindamycin',
  doxy: 'doxycycline',
  azithro: 'azithromycin',
  azitro: 'azithromycin',
  levoflox: 'levofloxacin',
  vanco: 'vancomycin',
  dexa: 'dexamethasone',
  atorva: 'atorvastatin',
  rosuva: 'rosuvastatin',
  simva: 'simvastatin',
  hydrocort: 'hydrocortisone',
};

/** Endings that only names of drugs have, without their last vowel. */
export const STEMS = [
  'april|opril|inopril|sartan|statin|azol|prazol|cilin|micin|oxacin|olol|dipin|gliptin|gliflozin|xaban|parin|setron|triptan',
  'zepam|zolam|barbital|cain|ciclin|tiazid|semid|dronat|glitazon|zosin|lukast|tidin|oxetin|triptilin|enafil|dalafil|glutid',
  'tinib|zumab|ximab|limumab|mumab|profen|ciclovir|tegravir|buvir|navir|penem|conazol|nidazol|bendazol|pramin|prost|vudin|grel|trexat',
]
  .join('|')
  .split('|');

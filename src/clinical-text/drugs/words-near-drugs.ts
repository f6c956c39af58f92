// Words of English, Spanish and Portuguese that are one slip away from the name of a drug, or end like one: `syndrome`, `síntomas`, `carrapato`.
// They mean themselves. The list holds each word of spelling dictionaries of the three languages that the search for slips would take for a
// drug; it is made again when names of drugs are added. All are folded.

export const WORDS_NEAR_DRUGS: ReadonlySet<string> = new Set(
  `
abachando abilities ability acabose acacando acachando acariose acarioses acarose acaroses acetaminophens acetilsalisilica
acetilsalisilicas acetilsalisilico acetilsalisilicos achacando acinetina acinetinas acinetinos aconela aconelas acordaron acteonela
acteonelas actinela actinelas acyclovirs adelosina adelosinas adenosis adrenalins adrenalite adrenalites adrenally adrenalona adrenalonas
aerografa aerografas aerografo aerografos aerograph agachando agameta agametas agamete agametes agameto agametos ailantina ailantinas
alacando alfentanis aliviam aliviamo aliviamos aliviem aliviemo aliviemos allopurinols alluvium amachando amantadona amantadonas amiloide
amiloides amoxicillins amoxycillins ampicillins amyloid anacando anacin anitol antevert anteverta antevertas anteverte antevertes anteverto
antonela antropina antropinas apachando apilaban apinaban apipaban apirina apirinas apitaban apomorphia apomorphias arafat arracando
arremeter arremetera arremeteras arremetere arremeteres arrestor arricete arricetes arroscar arroscara arroscaras arroscare arroscares
asacando aspidina aspidinas aspidino aspidinos aspiran aspiren aspiring assacando atacad atacada atacadas atacado atacadoes atacados atacan
atacanha atacanhas atacanhe atacanhes atacanho atacante atacantes atacardes atacoando atajando atamando atanando atanchando atapando
atascando ataucando aticando atochando atracando atropan atropen atropia atropias atropica atropicas atropico atropicos atropida atropidas
atropis atrosina atrosinas augmenting azotioprina azotioprinas bacarim bacorim bactria bactrica bactricas bactrico bactricos bactrida
bactridas bactride bactrides bactrino bactrinos bactrio bactrios bactris bactrito bactritos basalar beclometazona beclometazonas beicar
beicara beicaras beicares beicarra beicarras beicarroes benadryls benazepris benzatropina benzatropinas benzil benzila benzilas benzilo
benzilos benzoic benzoica benzoicas benzoico benzoicos benzoin benzois benzol benzole benzoles benzotropina benzotropinas benzoyls benzyl
betadona betadonas bichinina bichininas bicilia bicilias bicilie bicilies bicilio bisacodis bleomycins borazina borazinas bordaron brillante
brillantes brilliant brilliante bromexina bromexinas bronfeniramina bronfeniraminas buscapie buscapies calafate calafatee calafatees
calafates caloteen camoteen canadol capolen caponen capotan capotea capotean capoteas capoteei capoteemos capotei capoteia capoteias
capoteie capoteies capoteio capoteios capotem capotemo capotemos capoteo capoteos capotera capoteras capotero capoteros capotona capotonas
capotted capten captopris caramate caramates carapata carapatas carapate carapates carapato carapatos caravata caravatas cardaron cardenal
cardenales cardirem cardiremo cardiremos cardissem cardissemos caritina carotena carotenas carotene carotenes caroteno carotenos carrapata
carrapatas carrapate carrapates carrapato carrapatos cefadroxis celebrei celebrem celebremo celebremos celebren celebrero cephalexins
cetazina cetazinas cetimina cetiminas chacoteen chapoden chapotea chapotean chapoteas chapoteemos chapotei chapotem chapotemo chapotemos
chapoteo chapoteos chipiron chipirones chloramphenicols chloroquins chokris cholecalciferols choraron chorearon chorrearon cimbalo cimbalos
citomero citomeros claretino claretinos clarinea clarineei clarineemos clarinei clarineia clarineias clarineie clarineies clarineio clarinem
clarinemo clarinemos clarinero clarineros clarinet clarineta clarinetas clarinete clarinetes clarineto clarinetos claritica clariticas
claritico clariticos clarities clarity clavelina clavelinas clavellina clavellinas clavulonato clavulonatos cleonino cleoninos clindamycins
clobetasona clobetasonas clonixino clonixinos cloranfenicol cloropromazina cloropromazinas clorotalidona clorotalidonas cogentinha
cogentinhas colchais colcheis colchoeis colentina colentinas colentino colentinos colestiramna colestiramnas colicin colicina colicinas
colicine colicines coloris colorise colorises colorisse colorisses comazino comazinos compagina compaginas compagine compagines compagino
coraron corcaron corcharon corearon corlaron correaron correntina correntinas correntino correntinos cortaron corvaron cotrino cotrinos
coumarin coumarina coumarinas creator crespor crespores crestar crestara crestaras crestares creston crestones crestou cromolise cromolises
cromulina cromulinas cuestor cuestores cyanocobalamins cyclosporins cymbal cymbalo cymbaloes cymbalos cymbals decusata decusatas decussate
decussates demodex deparen derretid derretida derretidas derretido derretidoes derretidos desacota desacotas desacote desacotes desacoto
desacotoe desacotoes desacotoo desacotos desanida desanidas desanide desanides desanido desired desirer desoid desoida desoidas desoido
desoidos desoxida desoxidas desoxide desoxides desoxido despachen desriela desrielas desriele desrieles desrielo dessorrida dessorridas
dessorride dessorrides dessorrido dessorridoes dessorridos destrela destrelas destrele destreles destrelo desunid desunida desunidas
desunido desunidoes desunidos diazepan difenina difeninas diferi diferia diferian diferias diferid diferida
diferidas diferido diferidoes diferidos diferimos diferindo diferir diferira diferiras diferire diferires diferis diferisse diferisses
diferiu differing difluian difluyan dimantina dimantinas dimenidrinato dimenidrinatos dimeticona dimeticonas dioxin dioxina dioxinas
dipireno dipirenos dragaminas edrofonismo edrofonismos elastin elastina elastinas elequis eletritana eletritanas enalapris encresta
encrestas encreste encrestes encresto enfresta enfrestas enfreste enfrestes enfresto enresta enrestas enreste enrestes enresto entachadona
entachadonas entesta entestas enteste entestes entesto entrasta entrastas entraste entrastes entrasto entreat entreato entreatos entreses
entrete entricitabina entricitabinas entrist entrust entryist ephedrins epinefrido epinefridos epinefrila epinefrite epinefrites epinephrins
erastino erastinos eritropoietica eritropoieticas eritropoietico eritropoieticos erythromycins erythropoietic erythropoietins esbenicar
esbenicara esbenicaras esbenicares escetamina escetaminas escrevente escreventes estacando estarter estarteres estater estatera estradiols
estradiolzoes estradiota estradiotas estradiote estradiotes estradioto estradiotos estratega estrategas estratego estrategos etamin etamina
etaminas etamine etamines ethambutols etofilina etofilinas fenicar fenicara fenicaras fenicare fenicares fentanyls filantina filantinas
fisiostigmina fisiostigminas fitoteca fitotecas florente florentes flumazenis fluorouracis fluoruracil fluoruracila fluoruracilas flurazepan
fosinopris fovente foventes frailar gardenless gemicada gemicadas gemicado gemicadoes gemicados gencitabina gencitabinas genfibrozila
genfibrozilas gitalina gitalinas glariness glibencamida glibencamidas gliburil gliburis glicagon gliceral glicerana gliceranas glicerano
gliceranos gliceria glicerias glicerica glicericas glicerico glicericos glicerida gliceridas gliceride glicerides glicerido gliceridos
glicerila glicerilas glicerilo glicerilos glicerio glicerios glicerol glipizina glipizinas glyceria glycerias glyceric glyceride glycerides
glycerins glycerol glyceryl haloxona haloxonas helenium hemantina hemantinas hepatina hepatinas hetadona hetadonas hilastino hilastinos
homatropina homatropinas humuleno humulenos humulona humulonas indexal indochim indochins indocil indocile indociles indoina indoinas
indolina indolinas indomethacins indopina indopinas indulin indulina indulinas induline indulines insulana insulanas insulano insulanos
insulite insulites inulin inulina inulinas invocaba invocabas invocacoes invocad invocada invocadas invocado invocadoes invocados invocai
invocam invocamo invocamos invocando invocante invocantes invocar invocara invocaras invocare invocares invocase invocases invocasse
invocasses invocate invocates invocava invocavas ipatropio ipatropios iridium isolina isolinas isoline isolines jardinacoes kalium lanolin
lanolina lanolinas lanoline lanolines largina larginas leveira leveiras leveiro leveiros linoxina linoxinas liotropia liotropias lisinopris
lithoid litobiidea litobiideas litobiideo litobiideos litobio litobios litodida litodidas litoide litoides litoteca litotecas losaran
losarian macrobia macrobias macrobio macrobios macrolide macrolides macrovida macrovidas maestril maestriles malachino malachinos malacina
malacinas malacino malacinos manitoba manitose manitoses manitou mannitols mantol marean marrean maruvane maruvanes matadona matadonas
meadona meadonas mechadona mechadonas meclozina meclozinas meladona meladonas melantonina melantoninas menadona menadonas mentadona
mentadonas mesolina mesolinas messadona messadonas metacona metaconas metacone metacones metacono metaconos metadina metadinas metamono
metamonos metazoon metestrol methadons metidona metidonas metomidato metomidatos metradona metradonas michareis microtide microtides
microvida microvidas microzima microzimas ministate ministates minoxidis misogina misoginas misogino misoginos misorina misorinas moestadona
moestadonas monuron mosolina mosolinas muckinesses muconista muconistas neomycins nitroglycerins nitrosato nitrosatos nomologa nomologas
nomologo nomologos noradrenalins nosologa nosologas nosologo nosologos nummuline nystatins oestradiols oppressor
opresor opresora opresoras opresores opressor opressora opressoras opressores oprimidona oprimidonas orografa orografas orografe orografes
orografo orografos oropecio oropecios oxacillins oximorfina oximorfinas oximoron oxitocia oxitocias oxitocica oxitocicas oxitocico
oxitocicos oxymoron oxytocic oxytocins paceran pacieron panadona panadonas panador panadora panadoras panadores pancadola pancadolas
paracetamols paracetamolzoes penalogo penalogos penicar penicara penicaras penicares penicilio penicilios penicillia penicillins pennzoil
percocero percoceros percochemos percochen percoct peridium perimidona perimidonas perindopris permethrins permetron petadona petadonas
petidica petidicas petidico petidicos petilina petilinas petilino petilinos phenobarbitals phenytoins physostigmins pilocarpeno pilocarpenos
pirandello pirantera piranteras piridoxica piridoxicas piridoxico piridoxicos pirografa pirografas pirografe pirografes pirografo pirografos
poetadona poetadonas polimetileno polimetilenos polimixia polimixias polymyxins pranlintida pranlintidas premidona premidonas prestore
prestores prevalido prevalidoes primadona primadonas primichon primichones priscar priscara priscaras priscares pristina pristinas pristine
pristines pristino pristinos pristis profecia profecias proferid proferida proferidas proferido proferidoes proferidos prograde progrades
program programa programas programe programes programme programmes programo programoes proguanis promecio promecios propeli propelia
propelias propercio prophecies prophecy propicia propicias propicie propicies propicio propicios propiltiouracis propiltiuracila
propiltiuracilas prosar prosara prosaras prosares prosear proseara prosearas proseare proseares protomixa protomixas protonic protonica
protonicas protonico protonicos protonio protonios provenid provenido psilismo psilismos psylliums pygidium pyridoxins pyxidium quinapris
quinicina quinicinas quinoidina quinoidinas ramipris ratemeter ravachol ravachola ravacholas rebicada rebicadas rebicado rebicadoes
rebicados reemersona reemersonas remachad remachada remachadas remachado remachados remaron remellon remellona remellonas remellones
remelona remelonas remeson remesones remessona remessonas remezon remezones remicao remimada remimadas remimado remimadoes remimados
reminada reminadas reminado reminadoes reminados remirad remirada remiradas remirado remiradoes remirados remixada remixadas remixado
remixadoes remixados remocada remocadas remocado remocadoes remocados renitem renitence renitences renitica reniticas renitico reniticos
repacen repicad repicada repicadas repicado repicadoes repicados ressicada ressicadas ressicado ressicadoes ressicados ressicar ressicara
ressicaras ressicares restoral restore restores retadona retadonas retamina retaminas retrofire retrofires revicada revicadas revicado
revicadoes revicados rifampicins risolino rocelina rocelinas roscar roscara roscaras roscare roscares salbutamols salbutamolzoes seleniuro
seleniuros senoide senoides sertalina sertalinas serventa serventas servente serventes setadona setadonas sindroma sindromas sindrome
sindromes sindromo sindromos singular singulares singulary sintoma sintomas sintomo sintomos sintrofa sintrofas sintrofo sintrofos sintrona
sintronas sintrono sintronos sinvastativa sinvastativas sistolica sistolicas sistolico sistolicos sistroid solcris soltaren sordilla
sordillas sotacola sotacolas splenium starter stater stradiot strafer straiter strapper strayer stroppiness strutter sudated sufentanis
sulfimpirazona sulfimpirazonas suspiron suspirona suspironas suspirones syndrome syndromes synoecete synoecetes synoekete synoeketes
systolic tacando tachando talamete talametes tanumete tapacolo tapacolos tefazolina tefazolinas tefillin temeron
temerona temeronas temerones tenallon tenallones tenorino tenorinos teofiliza teofilizas teofilize teofilizes teofilizo tephillin tesadona
tesadonas tesaron tessalonia tessalonias tessalonio tessalonios testril testrill tetadona tetadonas tetraciclica tetraciclicas tetraciclico
tetraciclicos tetracyclic thixotropies thixotropy tigenol tipicai tisicai titicai tixotropia tixotropias toesadona toesadonas tomazina
topazina topazinas topazine topazino topazinos toradona toradonas torador toradora toradoras toradores torradela torradelas torradona
torradonas torrador torradora torradoras torradores tradente tradentes traillar traillara traillaras traillare traillares tramadona
tramadonas tramador tramadora tramadoras tramadores transata transatas transato transatos trazidona trazidonas triancinolona triancinolonas
triantereno trianterenos trimethoprims trinitina trinitinas trinitino trinitinos trinitrica trinitricas trinitrico trinitricos trinitrido
trinitridos trinitrins tropin tropina tropinas tropine tropines troventa troventas trovento troventos trovoenta trovoentas trovoento
trovoentos ulobetasol ursodesoxicolico ursodesoxicolicos valsaran valsarian vanadol vancomycins varvarina varvarinas varvarino varvarinos
vasopressins velicar velicara velicaras velicare velicares ventanilla ventanillas ventanillo ventanillos verapamis vesicacoes vesicada
vesicadas vesicado vesicadoes vesicados vesicai vesical vesicales vesicam vesicamo vesicamos vesicarao vesicardes vesicaria vesicarias
vesicarmo vesicarmos vesicasse vesicasses vesicate vesicates vesicava vesicavas vetadona vetadonas vimblastina vimblastinas vistaria
vistarias vitalina vitalinas vitalino volaren volcaren volearen volitaren voltarei voltarem voltaremo voltaremos voltarete voltaretes
voltearen votaren warfaring warfarins wistaria wistarias xylenol
`
    .trim()
    .split(/\s+/),
);

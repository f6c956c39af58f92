// Everyday words that lie one letter beside a word of illness: they are no slips of the pen.
export const REAL_WORDS: ReadonlySet<string> = new Set(
  // English
  (
    'facade facades camping clamping stamping casting coating floating boating gloating bleating heating hearing bearing wearing tearing failing calling filling ' +
    'felling selling telling smelling dwelling spelling swallow shallow hollow follow sparing staring storing scoring snorting sorting starting ' +
    'string spring sending bending tender fender gender render slender winter summer hunger longer linger finger ginger danger breath breathe breast ' +
    'bright weight height height freight fright flight slight health wealth father mother rather gather lather leather weather feather whether ' +
    'brother another smother bother stroke strike stroll strong string throat threat thread thrown throne crush brush flush plush blush flash clash ' +
    'crash smash splash trash brash slash relax reflex reflux itchy witch watch hitch pitch match patch catch latch batch pains paints plain plaint ' +
    'planes plans brain drain grain train stain strain sprain spring sprint splint bleeding breeding feeding needing seeding heeding reading ' +
    'leading heading beading loading fading passing missing kissing hissing massing tossing dressing pressing blessing messing guessing ' +
    'pressed dressed blessed rushing pushing brushing crushing flushing washing wishing fishing dishing coming combing bombing numbing thumbing ' +
    'plumbing climbing running gunning punning sunning cunning burning turning morning mourning learning earning warning yearning darning ' +
    'banking barking backing packing lacking hacking tacking smoking soaking stroking joking choking poking taking making baking waking shaking ' +
    'walked talked balked picked kicked licked ticked tricked pricked locked rocked mocked docked knocked sleeping steeping sweeping weeping ' +
    'keeping creeping peeping seeping sitting hitting fitting getting letting setting betting wetting petting patting vomiting visiting limiting ' +
    'patient patients patience parent parents current content contend contest lesson lessons lesion person poison prison reason season treason ' +
    'married carried varied worries worried married hurried curried ferries berries cherries marries carries stools tools spools schools school ' +
    'scaling sealing stealing dealing healing feeling peeling kneeling reeling wheeling steeling sewing swelling sweating sweeting sweating ' +
    'swearing wearing switching stitching twitching pitching catching watching matching hatching batching general generals manual annual casual ' +
    'causal usual visual medial medical radical lateral literal liberal federal formal normal dorsal verbal herbal dental mental rental ' +
    'center centre enter inter under order border older colder holder folder bolder shoulder shudder rudder ladder madder sadder bladder blander ' +
    'cancel cancer dancer lancer glance stance chance change charge changed charged ranged hanged banged fainted painted tainted planted granted ' +
    'slanted started stated stating states status static strict strips stripe stripes trips tripes drips grips ' +
    // Seen beside words of the lexicon in lists of the three languages
    'station stations symptomatic tipped tricks stripped contacting contrasting precession processing capitation chromic clamps clipped concession couching crashed ' +
    'crashes creams creeps crimes crypts dialyses evicted forges gambling gaping grasping grinding groping hacking hawking hitching hornet innate kidnapped limpid ' +
    'lister mincing minder minding mining minting mothering nemesis nickel paging palpitating peacemaker perched pinning placing poison porridge proceeding psychoses ' +
    'punting ramped rasped reaped recessing roving rubbery rumbling sadden satins signer signing sinker sinning slinger slinging sodden spacing spanning sporting ' +
    'sprang sprung stager starlet stinted stubbed stunted strider striders surfing tabbed tangling tiered tinkling tinsel topical trashes tumbled unsaid urging ' +
    'whacking wielding thirty forties garden either variceal ventouse ' +
    'acuoso acustico adorado aguila alambre alegra amonico autora buscas cabida calores calidas cangrejo cantado censado ceviche confesa confesion conica coraje ' +
    'cordera cuidas culpas delirado destellos disentir disension divorciando encanta escalar esclarecer escoltar esmeralda espada estacion estante fijada golpeando ' +
    'guardaria guerra hipotesis hipotenusa inmobiliaria jabones juzgando lejana lijada llanura maestria mosquitos nadado occidente optado opuestas paleta pactada ' +
    'palitos patentado persecucion perseguir pescadilla pilota pintada podado portando postgrado precipitando profesora pulido punico puntazo quejado querra ' +
    'resalta sedando soldado soltera subdito tamales terremoto traigo trajes triaje turismo utopia validos valido vagabundo versiculo violeta volado votado ' +
    'desganada desganado desganados desganadas esperar espana desayuno desayunar desayunando tenemos trabajar comiendo asfalto asfaltada alentador hervida setenta treinta trinta pensado centro cuidado ' +
    'contrato mensaje escrito despacito inyectar prefiere entero interno podrida mudanza prefieren ' +
    'acosto acostarse acostado acostada agonia amianto anelar arreio arritmia assedio balada camada cantor cargueiro carnagem conico coragem condenacao concessao construtivo costureira demissao ' +
    'desligado despojo distenso embarcacao escolar escalao estrategia fartura favela favor fermento fermentos franqueza gostoso grosseiro imerso latente largar ' +
    'maciez marmoraria mergulho mitico moinho notacao obreiro ocidente oncologia palito pioneira professar tabaco triagem validez viscina descompensado ' +
    'trombo trombos apuntado apuntada apuntados remera remeras ' +
    'adrenalina axilar quintal azeite espaco direto implante inspira granito bancada nascimento caneca escova entrar entrei parque quebra progesterona ' +
    // Portuguese, seen beside words of the lexicon
    'usando camara camaras castanhal contido comentar cometa culpar desdem devolucao digito digitos espiao evoluir excerto fatura faturas geometria ' +
    'informar lombada marmore malinha matacao mencionar mostrar amostra observar patico penico perceber perguntar pistia popular poderio primal revolucao ' +
    'relatar sofrer sombrinha tintura tinturas tormento tormentos vezinha violao violentos vulgar amonio anulacao anulada anulado armamento arqueiro ' +
    'aparentar atacar atacas atacando candor carroca carranca cantaro coimbra tainha formica prumos cabreiro remora aqueles homens folhas lavaram gravada ' +
    'gravadas gravados gostosa divido decorada decorado demitia desiste emitida empolgada empolgado esfriado estofada estofado escalada escalou fachadas ' +
    'ferrada guidador infantil irritando lixada lixado mascula monstra namorando restou testou testava restava trazia tambos polido polida viciada veiculo ' +
    'veiculos receito recheio recreio rebate rogado rachou sugado sugando suados tacham torcada validas vaqueia violando prisma piadas bancadas brincos ' +
    'barroto asseio babada bicada bobada bolsada braseado brocas cachou calante caleira cigarra conjugue constou consta coxeiras cronos deprimia dragada ' +
    'enlatado enojado festou fatiada fatiado firmas guelra grupada gritado grelado imputou indiciou lecionou liguria maciada manila mitica minuta moitas ' +
    'moriscos pescamos pombinha populas salvando segando setava soando sudoes tinteiras tracem triagens vacada vozinha zoneia ' +
    // Spanish and Portuguese
    'causado causada casado casada cazado cansador pesado pesada pisado pasado pasada posado pescado pecado picado marcada marcado marcar mareas ' +
    'marear maneras manera madera primera primero tomado tocado tocada rodado rosado rosada posición posicion pasion presion prision precion ' +
    'version lesion sesion mision vision tension pension mension mencion seccion accion nacion racion oracion duracion curacion ' +
    'sangra sangre sangria alegra alegria energia alergia tarde grande pierde piedra pierna pierden tierna tiernas sienta siento sientes ' +
    'cuenta cuentas cuerpo cuerno cuerda cuello cuelgo vuelta vueltas suelta suelto sueldo sueno suenos sueros comida corrida cocida cosida ' +
    'caliente valiente cliente siente diente dientes mientes puerta puertas muerta muerto huerto puerto tuerto vuelto vientre viento tiempo ' +
    'costado constado contado cortado gastado gustado ajustado asustado acostado aportado apretado operado esperado separado reparado ' +
    'mental dental rental central sentado sentada sentido sentidos tendido vendido perdido pedido partido parido peludo ' +
    'cabeca cabeza cabezal corazon cabezon corteza certeza cereza pereza tristeza limpieza piezas piojos ' +
    'comeco comecei conheco careca cerveja bandeja igreja pareja parejas orejas ovejas abejas quejas quejar quemar quitar gritar ' +
    'evitar editar imitar visitar vomitar limitar militar caminar camina cambia cambio camino caminos marido maridos nariz narices ' +
    'casado cansaco pedaco braco abraco barco barrio barriga garganta gargantas levanta levantar cantar plantar faltar saltar soltar ' +
    'apenas apenar antena antenas cadenas cadena cadera caderas madrina medicina vecina vecinas cocina cocinas bocina oficina piscina ' +
    'atarme atarse atarte atando anularon boleado boleada envenenando primavera primaveras febrero hornear salpicado ' +
    'febril abril fabril fibras fiebres libres libros cabras pobres sobres hombre hombro hombros nombre nombres hambre siempre ' +
    'hinchar linchar pinchar manchar marchar marcha mancha manchas concha lancha noches coches leches pechos hechos techos dichos fechas flechas'
  ).split(/\s+/),
);

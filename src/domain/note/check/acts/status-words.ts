// The words that decide how an act is meant: not done, refused, only if something happens, offered, or of the past. A bar is between the
// phrases; see phrase-set.ts. Denials of all kinds (`no`, `without`, `niega`) are in the cues of clinical-text.
import { makePhraseSet, type PhraseSet } from '../../../../clinical-text/cues/phrase-set.ts';
import type { Language } from '../../../language.ts';

const STATUS_LISTS = [
  'refusing',
  'refused',
  'lifting',
  'lapsing',
  'breaking',
  'if',
  'courtesy',
  'offering',
  'past',
  'asking',
  'minding',
  'agreeing',
  'declining',
  'dropping',
  'unwanted',
] as const;
type Lists<Value> = Readonly<Record<(typeof STATUS_LISTS)[number], Value>>;

/**
 * - `refusing` is before what is not done, `refused` behind it; after one of `lifting` it is done after all (`no longer refuses`)
 * - `lapsing` say of a test that it is due (`you haven't had one for a year`)
 * - `breaking` begin another clause
 * - `if` make it conditional, unless one of `courtesy` is behind (`if you like`); `offering` only propose it
 * - `asking` end a proposal (`Is that all right?`); after one of `minding` a no agrees
 * - `agreeing` and `declining` answer it; `dropping` give up what the sentence named (`so I'll leave it`)
 * - `unwanted` refuse by themselves, without the thing that is refused (`I don't want that one`)
 */
export type StatusWords = Lists<PhraseSet>;

const WORDS: Readonly<Record<Language, Lists<string>>> = {
  en: {
    refusing:
      'declin*|refus*|without|not for|wouldnt want|would not want|do not want|does not want|dont want|doesnt want|rather not|no need|not need|dont need|doesnt need|not needed|hold off|instead of|wont|will not|not going to|avoid*|leave the|well leave|cancel*|not keen|against|no further|no more|skip|postpone*|not to have|not have|opted against|not consent*|no consent|never had|never been|nobody|no one|noone',
    refused:
      'declin*|refus*|not needed|not required|not indicated|isnt needed|not necessary|unnecessary|deferred|not done|not performed|cancelled|not consented|no thank*|no thanks|not today|not now|can wait|wouldnt change|not wanted|is off|no need|postponed|withheld|not given|not appropriate|denied|never|ruled out|excluded|unlikely',
    lifting:
      'no longer|not declin*|not refus*|didnt refus*|did not decline|not before|not excluded|not ruled out|not until|why dont|no wonder|dont worry|dont forget',
    lapsing:
      'havent had|havent done|havent checked|hasnt had|hasnt been|not had|not been|havent been|havent seen|never been|never checked|havent got',
    breaking:
      'but|however|then|and i|and we|and you|and he|and she|and ill|and well|and id|so we|so i|before|although|ill|well|id|let me|because|instead|otherwise|until|unless',
    if: 'if|unless|in case of|should you|should he|should she|provided|as long as|only when',
    courtesy:
      'you like|you agree|you want|thats ok|thats okay|thats alright|thats all right|that is ok|that is okay|possible|you dont mind|its needed|its okay|its alright|needed|you prefer|its ok|its all right|that suits|we can|youre happy|youre ok|youre okay|youre alright|you dont object|that sounds|everyone agrees|anything|it can be helped|you have to|i may|i can',
    offering:
      'could|might|may|would you|offer*|consider*|suggest*|discuss*|an option|option|probably|perhaps|maybe|can have|propose*',
    past: 'years ago|last year|last month|last week|previous*|in the past|when i was|as a child|history of|already|yesterday|since last',
    asking:
      'is that|are you happy|are you okay|are you ok|are you alright|would you|do you agree|is it ok|is it okay|would that|may i|can i|can we|shall we|shall i|do you mind|would you mind|okay ?|ok ?|right ?|yeah ?|alright|all right|happy with that|sound ok|sound okay|how does that|what do you think|would you accept|if you agree',
    minding: 'do you mind|would you mind|any objection*',
    agreeing:
      'yes|yeah|yep|sure|okay|ok|fine|go ahead|please|do it|alright|all right|of course|i agree|happy with|if you have to|i dont mind|thats fine|sounds good|by all means|absolutely|course|aye|good idea|also|makes sense|lets do|ill have|ill take|id take|ill do|id have|whatever you think|consent|no problem|no worries|no thats fine|no thats okay|no go ahead|no objection*|not at all|no not at all|right|cool|great|if you think|whatever you',
    declining:
      'no|nope|id rather not|rather not|not today|i dont want|dont want|not for me|i refuse|no way|never|not that|ill pass|let me think|want to think|think about it|not sure|without',
    dropping:
      'leave it|leave that|wont do it|not do it|dont need it|no need for it|skip it|not repeating it|wont repeat it|not have it|not having it',
    unwanted:
      'i dont want that|i dont want it|dont want that one|dont want this|doesnt want that|doesnt want it|rather not|no thanks|no thank you|not that one|not this one|id rather wait|not happy with that|leave that one|not today',
  },
  es: {
    refusing:
      'rechaz*|recus*|declin*|sin|no precisa|no requiere|no necesita|no quier*|no quisier*|no desea|no acept*|no autoriz*|no consient*|no hace falta|no hay que|no vamos a|no voy a|no se solicita|no se realiza|se niega|prefier* sin|nada de|evitar|en lugar de|en vez de|difiere|difier*|pospon*|no amerita|cancel*|no hacemos|no haremos|no harem*|no haria*|tampoco|nunca|ni|nadie',
    refused:
      'no|no hace falta|no es necesari*|no se hace|no se solicita|no requerid*|no precis*|no indicad*|no realizad*|no la vamos|no lo vamos|no la hacemos|no la repetimos|rechazad*|declinad*|diferid*|pospuest*|suspendid*|no quier*|no la quier*|no lo quier*|ni hablar|cancelad*|esa no|ese no|de momento no|por ahora no|hoy no|todavia no|negad*|descartad*|poco probable|improbable',
    lifting:
      'ya no rechaz*|no rechaz*|no se niega|no antes|no descartad*|no se descarta|no hasta|por que no|no se preocupe|no te preocupes|no se olvide',
    lapsing:
      'no se le|no se ha|no le han|no te han|no se hace|no le hacen|no tiene hech*|no se la ha|no se lo ha|nunca se|nunca le|no tenemos',
    breaking:
      'pero|aunque|entonces|y le|y te|y se|y lo|y la|y vamos|y voy|y hoy|y manana|sino|le pido|te pido|vamos a|voy a|porque|hasta|luego|despues|y despues|y luego|antes|que le|que te|que vamos|asi que',
    if: 'si|en caso de|en caso que|siempre que|a menos que|salvo que|solo si|cuando',
    courtesy:
      'quiere|quieres|queres|le parece|te parece|esta de acuerdo|estas de acuerdo|no le molesta|no te molesta|es posible|desea|gusta|me permite|puede|hace falta|lo aguanta|precisa|prefiere|no tiene inconveniente|no hay inconveniente|no le importa|no te importa|esta bien|le viene bien|te viene bien|podemos|estan de acuerdo|usted quiere|usted acepta|acepta|aceptas',
    offering:
      'podria*|podemos|puedo|ofrec*|ofrez*|propong*|propuso|se propone|valor*|plante*|considera*|opcion|se ofrece|tocaria|quizas|tal vez',
    past: 'hace anos|ano pasado|mes pasado|semana pasada|previo*|previa*|antecedente*|de chico|de nino|ya me|ayer|anterior',
    asking:
      'esta de acuerdo|estas de acuerdo|esta bien|le parece|te parece|puedo|podemos|quiere|quieres|queres|acepta|aceptas|aceptaria|de acuerdo|le importa|te importa|le molesta|me permite|vale|que dice|que opina|como lo ve|bueno|sí ?|si ?|ya ?|dale ?',
    minding: 'le importa|te importa|le molesta|te molesta|alguna objecion|inconveniente',
    agreeing:
      'sí|si|claro|de acuerdo|esta bien|bueno|dale|acept*|adelante|vale|ok|okay|por favor|hagalo|haga|listo|orale|como quiera|como usted diga|por supuesto|perfecto|me parece|lo que haga falta|eso sí|eso si|obvio|desde luego|ya|hombre sí|tambien|no hay problema|no tengo problema|no me importa|ningun problema|no se preocupe|sin problema|lo que usted|perfecto|correcto|ta bien|buenisimo|genial',
    declining:
      'no|no quier*|no quisier*|mejor no|prefier* sin|prefier* no|mejor dejeme|dejeme pensar|lo pienso|lo voy a pensar|ni hablar|ni loc*|nunca|sin|tengo que pensar|dejeme platic*|de momento no|por ahora no|eso no|de eso no',
    dropping:
      'esa no|ese no|eso no|no la repetimos|no la hacemos|no lo hacemos|no se la hacemos|no se lo hacemos|no hace falta|lo dejamos para|la dejamos para|mejor no|no la pido|no lo pido',
    unwanted:
      'no la quiero|no lo quiero|no quiero eso|no quiero esa|no quiero ese|prefiero no|prefiero esperar|mejor no|esa no|ese no|eso no|esa prefiero|esa mejor|hoy no|otro dia|para otro dia|lo dejo para|la dejo para|despues me la|no me la pon*|no me lo pon*',
  },
  pt: {
    refusing:
      'recus*|rejeit*|declin*|sem|dispens*|nao precis*|nao necessit*|nao quer*|nao desej*|nao aceit*|nao autoriz*|nao consent*|nao vou|nao vamos|nao solicit*|nao realiz*|nega-se|nega se|se nega|prefir* sem|prefer* sem|nada de|evitar|em vez de|ao inves de|adi*|posterg*|cancel*|nao fazer|nao fazemos|nao faremos|nao faria*|tampouco|nunca|nem|descartad*|nao deix*|nao assin*|suspend*|nao reanim*|ninguem',
    refused:
      'nao|nao precis*|nao e necessari*|nao foi|nao vou|nao vamos|nao quer*|nao solicit*|nao indicad*|nao realizad*|recusad*|adiad*|dispensad*|cancelad*|suspens*|desnecessari*|por enquanto nao|agora nao|hoje nao|nem pensar|negad*|nao deix*|descartad*|pouco provavel|improvavel',
    lifting:
      'nao recus*|nao rejeit*|nao se nega|nao se opoe|nao antes|nao descartad*|nao se descarta|nao se exclui|por que nao|nao se preocupe|nao esquec*',
    lapsing: 'nao faz|nao fez|nao fizeram|nao ve|nao tem feito|nao repet*|nunca fez|nunca fizeram|nao temos|nao colh*',
    breaking:
      'mas|porem|entao|e vou|e peco|e te|e eu|e ja|e o|e a|e vamos|vou|vamos|porque|ate|senao|depois|e depois|ai|antes|que a gente|que vou|que eu|que vamos|entao',
    if: 'se|caso|em caso de|so se|a menos que|a nao ser que|desde que|quando',
    courtesy:
      'voce quiser|quiser|a senhora quiser|o senhor quiser|concordar|estiver de acordo|tudo bem|possivel|preferir|puder|necessario|nao se importar|nao for problema|nao se incomodar|estiver bem|a gente puder|for possivel|voce concordar|a senhora concordar|o senhor concordar|aceitar|voce aceitar',
    offering:
      'poderia*|podemos|posso|pode ser|oferec*|propor|proponho|proposto|sugir*|sugerid*|talvez|opcao|considera*|discutid*|topa',
    past: 'anos atras|ano passado|mes passado|semana passada|previ*|antecedente*|quando crianca|ja fiz|ontem|anterior',
    asking:
      'pode ser|posso|podemos|tudo bem|concorda|aceita|topa|ta bom|esta bem|certo|quer|de acordo|se importa|autoriza|combinado|o que acha|que acha|me autoriza|a senhora concorda|ta ?|ne ?|viu ?|ok ?',
    minding: 'se importa|incomoda se|alguma objecao',
    agreeing:
      'sim|pode|claro|aceito|concordo|ta bom|esta bom|esta bem|tudo bem|topo|quero|por favor|ok|certo|combinado|com certeza|isso|de acordo|faz|faca|como o senhor|como a senhora|autorizo|vamos|se for preciso|por mim|tambem|nao tem problema|sem problema*|nao me importo|nenhum problema|sem duvida|beleza|ta|uhum|perfeito|ta certo|o que o senhor|o que a senhora|otimo',
    declining:
      'nao|nao quero|prefiro nao|prefiro sem|melhor nao|nem pensar|deixa eu pensar|vou pensar|preciso pensar|nunca|de jeito nenhum|deus me livre|sem|por enquanto nao|aquela nao|hoje nao|isso nao|disso nao|essa nao|aquilo nao',
    dropping:
      'essa nao|esse nao|isso nao|nao vou fazer|nao vamos fazer|nao precisa mais|deixa para la|melhor nao|nao vou pedir|nao repito|nao vou repetir',
    unwanted:
      'nao quero isso|nao quero essa|nao quero esse|nao quero tomar|prefiro nao|prefiro esperar|melhor nao|essa nao|esse nao|essa eu nao|esse eu nao|isso nao|hoje nao|outro dia|deixa para|deixa pra|essa fica|essa vou|uma de cada vez|depois eu tomo',
  },
};

const SETS = Object.fromEntries(
  Object.entries(WORDS).map(([language, lists]) => [
    language,
    Object.fromEntries(STATUS_LISTS.map((name) => [name, makePhraseSet(lists[name])])),
  ]),
) as unknown as Readonly<Record<Language, StatusWords>>;

export function statusWordsOf(language: Language): StatusWords {
  return SETS[language];
}

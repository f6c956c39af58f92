// The cues of Portuguese. See cues.ts for what each list does. `No` is no denial here: it is "in the".
import type { CueWords } from './cue-words.ts';

export const PT: CueWords = {
  denies:
    'nega|negam|negou|negava|negando|nego|sem|ausencia de|negativo para|negativa para|negativo :|negativa :|isento de|livre de|descarta|descartado',
  before: 'nao|nunca|nenhum|nenhuma|tampouco|nem|jamais|nada de',
  after: 'nao|nunca|tambem nao|tampouco',
  always:
    'negativo|negativa|negativos|negativas|ausente|ausentes|nenhuma|nenhum|nada|nega|descartado|descartada|deu negativo|deu negativa|veio negativo|veio negativa|foi negativo',
  behindAfter:
    'tenho|tem|tinha|tive|teve|ha|houve|havia|senti|sinto|sente|notei|apresenta|apresentou|refere|vejo|vi|apareceu|e|nem|mas|ou|por enquanto|no momento|saiu|existe|deu|medi|percebi|ta tendo|esta tendo|estou|observada|observado|mesmo',
  affirms: 'sim|presente|presentes|positivo|positiva|tambem|tenho sim|tem sim',
  pseudo:
    'nao so|nao apenas|nao somente|sem mudanca|sem mudancas|sem melhora|sem alivio|sem alteracao da|sem duvida|nao ha duvida|nao sei se|nao sei|nega-se|a nao ser|sem ceder|sem controle|sem teste|sem exame|se nao|senao|nao mais que|nada mais que|nada alem|nem sei|nega se a',
  goesOn:
    'passa|passam|passar|passou|melhor*|baixa|baixam|baixe|baixem|baixar|baixava|baixado|baixou|baixaram|ced*|some|somem|sumiu|sai|saem|saiu|para|param|parou|deix*|vai|vao|foi|alivi*|respond*|control*|resolv*|larg*|acaba|acabou|desaparec*|regrid*|cessa*|acalm*|diminu*',
  between: 'se|me|te|lhe|nos|o|a|os|as|ta|esta|estao|tem|quer|ha|jeito|que|de|consegue|consigo|mais|nada|vai|embora',
  unsure: 'sei|sabe|saber|certeza|lembro|tenho certeza',
  scopeEnd:
    'mas|porem|exceto|embora|apenas|so|somente|senao|a nao ser|fora|tirando|alem de|salvo|menos|mudanca|mudancas|melhora|alivio|porque|refere|referiu|referem|relata|relatou|apresenta|apresentou|queixa|informa|conta|diz|desde|sim|apesar|e sim|contudo|pois|quando|enquanto|devido|por isso',
  having: 'tenho|tem|tive|teve|tinha|sinto|sente|senti|apresento|ha|houve|estou com|esta com|to com|ta com',
  copulas: 'era|sao|foi|o que tenho|o que tem',
  taken:
    'tom*|us*|dei|deu|dou|da|dado|pass*|receit*|prescrev*|nada|algo|algum*|medic*|remedi*|tratamento*|comprimido*|xarope*|precis*|nenhum*',
  purposes: 'para|pra|contra',
  only: 'so|apenas|somente|exceto|salvo|a nao ser|menos|fora|tirando|senao',
  occasions: 'ao|quando|com|se|em|no|na|nos|nas|durante|apos|depois|as vezes|subindo|andando|aos',
  links: ',|/|ou|e|nem',
  large: 'muito|muita|tao|tanta|tanto|demais',
  supposed:
    'se|caso|pode|poderia|podem|causar|causa|efeito|efeitos|risco|ligue|volte|observe|observar|avisar|avise|retorne|retornar|procure|ate que|em caso|podendo',
  past: 'anos atras|ha anos|faz anos|ano passado|quando era|quando crianca|na infancia|antecedente*|antes tinha|costumava|no passado|meses atras|previo|previa|antigamente',
  self: 'eu|me|comigo|tenho|paciente',
  owners: 'minha|meu|minhas|meus|sua|seu|dele|dela|a|o|uma|um|nossa|nosso',
  belonging: 'da|do|de|na|no|em',
  kin: {
    mother: 'mae|mamae|madrasta',
    father: 'pai|papai|padrasto',
    brother: 'irmao|irmaozinho|irmaos',
    sister: 'irma|irmazinha',
    sibling: 'gemeo|gemea',
    spouse: 'esposa|esposo|marido|mulher|companheiro|companheira|namorado|namorada',
    son: 'filho|filhinho',
    daughter: 'filha|filhinha',
    child: 'crianca|nenem|bebe|menino|menina',
    grandmother: 'avo|vovo|vo',
    grandfather: 'vovozinho',
    aunt: 'tia',
    uncle: 'tio',
    cousin: 'primo|prima|sobrinho|sobrinha',
    other: 'amigo|amiga|vizinho|vizinha|colega|conhecido|conhecida|chefe|compadre|comadre',
    family: 'familia|familiar|familiare|familiai|parente|sogra|sogro|cunhada|cunhado|neto|neta|genro|nora',
  },
  emphatic: 'eu e que|sou eu que|sou eu quem|eu que nao|eu que tenho|eu que tomo',
  who: 'quem|o que|a que',
  are: 'e|era|foi|sao',
  leadIns:
    'entao|e|bom|bem|certo|ta bom|ta|ok|agora|mas|tambem|me diz|me conta|me fala|olha|vamos la|muito bem|isso|ah|eh|sim|perfeito|entendi|obrigado|obrigada|a senhora|o senhor|senhora|senhor|voce|ela|ele|dona|seu|alem disso|outra coisa|uma pergunta|a propria|por acaso|hum',
  openers:
    'tem|teve|tem tido|sente|sentiu|alguma|algum|notou|percebeu|esta com|esta tendo|ta com|ta tendo|tinha|toma|usa|fuma|bebe|doi|apresenta|apresentou|ja teve|ja fez|vomitou|desmaiou|perdeu|esta tomando|esta gravida|tem alguma|tem algum|houve|viu|ficou',
  fillers: 'uh|um|ah|eh|mm|bem|olha|entao|doutor|doutora|senhor|senhora|hum|oh|ai|ue|e',
  yes: 'sim|claro|tenho|sinto|correto|exato|isso|um pouco|um pouquinho|as vezes|algo|bastante|muito|muita|muitos|muitas|de vez em quando|com certeza|tive|tem|teve|sinto sim|as duas|os dois|ambas|ambos|uma vez|algumas|alguns|tomo|uso|tem sim',
  no: 'nao|nada|nenhum|nenhuma|nunca|tampouco|negativo|nega|jamais|nem|tambem nao|de jeito nenhum|imagina',
  notSure: 'sei|sabe|certeza|lembro|tenho certeza',
  stopped: 'parei|larguei|deixei|ja parei|ja larguei|nao mais',
  healthy:
    'normal|normais|normalmente|bem|bom|boa|saudavel|saudaveis|limpo|limpa|preservad*|integr*|livre|livres|estavel|estaveis|simetric*',
  allOfThem: 'nenhuma|nenhum|ambas|ambos|nada|nem|tampouco',
  nothingElse: 'nada mais|mais nada|so isso|o resto nao|e so',
  morning:
    'de manha|pela manha|cafe da manha|em jejum|jejum|toda manha|todas as manhas|antes do cafe|com o cafe|manha e',
  noon: 'no almoco|almoco|ao meio dia|meio dia|meio - dia|almocar',
  evening: 'jantar|a tarde|de tarde|a tardinha|no fim da tarde|lanche da tarde',
  night: 'a noite|de noite|antes de dormir|ao deitar|toda noite|todas as noites|deitar|e noite|esta noite|hoje a noite',
  dosing:
    'sub*|aument*|reduz*|diminu*|dose|passa*|vamos para|vamos pra|troca*|dobr*|mant*|continu*|miligram*|microgram*|receit*|precis*|mud*',
  needing:
    'precis*|doer|doi|dor|febre|tosse|enjo*|vomit*|coc*|falta|tont*|ansi*|necess*|crise|incomod*|piorar|quando da',
  scales: 'escala|nota|pontu*|eva|de zero|de um a dez|doi|dor|dores|doendo|doer|humor|incomod*|arde*',
  pressures: 'pressao|sistolica|diastolica|alta|baixa|maxima|minima|por',
};

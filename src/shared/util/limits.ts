const thousand = 1000
const million = 1_000_000

/** A patch that is to be taken back; longer ones name their texts instead (shared/large-change.ts). */
export const maxPatch = 10 * million
/** A note: some forty pages. What is longer is a file, and can be imported as one. */
export const maxNote = 100 * thousand
/** A message of the user, or the text of one attached file: more than any model's window holds. */
export const maxMessage = million
/** A picture in base64: 20 MB, twice what any provider takes. */
export const maxPicture = 28 * million
export const maxAttachments = 20
/** A question to the search: some pages; nobody types more, and every word of it is looked up. */
export const maxQuery = 10 * thousand
/** What is looked for letter by letter, or the name of a heading, a model, a tool. */
export const maxPhrase = thousand
export const maxTitle = 200
export const maxName = 255
/** What replaces a phrase. */
export const maxReplacement = 10 * thousand
/** Ids are ours or a provider's; theirs are below a hundred characters. */
export const maxId = 200
/** The longest path that Linux takes. */
export const maxPath = 4096
/** Files named in one request: more than a memory has that is still read. */
export const maxPaths = 100 * thousand
/** The configuration is written by hand. */
export const maxSettings = million
/** A file of checks: thousands of questions. */
export const maxChecks = 10 * million

/** Text and thoughts of one answer: ten times the longest that any model gives. */
export const maxAnswer = 4 * million
/** Arguments of one tool call, as JSON: a long file, whole. */
export const maxArguments = 4 * million
/** What of arguments that are no JSON is kept, to be shown to the model. */
export const maxBrokenArguments = 10 * thousand
/** Tool calls of one answer; models make one to ten. */
export const maxToolCalls = 128
/** Stretches of text and thought in one answer, in turns. */
export const maxParts = 2000
/** Models of one provider; the largest router lists some hundreds. */
export const maxModels = 5000
/** Tools of one server, and pages of them. Every request carries all of them. */
export const maxTools = 500
export const maxToolPages = 50
export const maxToolDescription = 10 * thousand

/** What is kept of a request as it went over the wire, pictures apart: more than any window holds. */
export const maxWire = 8 * million
/** A picture in base64 inside of it: enough to tell its kind. */
export const maxWirePicture = 64

const kibi = 1024
const mebi = 1024 * kibi

/**
 * Bytes of one message between the interface and the runtime, as JSON in UTF-8: a file that is as large as one can be,
 * with what it was before, fits. A request that is larger is refused before it is sent (`message_too_large`).
 */
export const maxMessageBytes = 45 * mebi

/** One event of a stream: the arguments of a call in one piece, and room. */
export const maxEventBytes = 8 * mebi
/** One answer as it comes over the wire: each token is an event of some 200 bytes. */
export const maxStreamBytes = 64 * mebi
/** A list of models. */
export const maxListBytes = 8 * mebi
/** Vectors of one batch: 2,048 of 3,072 numbers would be 80 MB, and no provider takes such a batch. */
export const maxVectorBytes = 64 * mebi
/** What a provider says of a failure; the sentence is in the first lines. */
export const maxErrorBytes = 64 * kibi
/** One message of a tool server: pictures of some megabytes. The official client has the same bound for programs. */
export const maxToolMessageBytes = 10 * mebi

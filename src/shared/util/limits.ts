const thousand = 1000
const million = 1_000_000

/** Characters of a new note, about forty pages. Longer text must be imported as a file. */
export const maxNote = 100 * thousand
/** Characters of a note from another program, about four pages. */
export const maxProgramNote = 10 * thousand
/** Largest value of each limit of another program; the smallest is 1. */
export const maxClientLimit = 10 * million
/** Characters of a user message or of one attached text file; larger than any context window. */
export const maxMessage = million
/** Characters of a base64 image: 20 MB of data, twice the highest provider limit. */
export const maxPicture = 28 * million
export const maxAttachments = 20
/** Characters of a search query; every word costs an index lookup. */
export const maxQuery = 10 * thousand
/** Characters of a find-and-replace search text, or of a heading, model or tool name. */
export const maxSearchText = thousand
export const maxTitle = 200
export const maxName = 255
export const maxReplacement = 10 * thousand
/** Characters of an id. Provider ids stay below 100. */
export const maxId = 200
/** PATH_MAX on Linux. */
export const maxPath = 4096
/** Paths in one request; above the file count of any workspace the index can handle. */
export const maxPaths = 100 * thousand
export const maxSettings = million
/** Characters of an imported file of saved queries; enough for thousands. */
export const maxSavedSearches = 10 * million

/** Characters of text and thinking in one answer; ten times the longest output of current models. */
export const maxAnswer = 4 * million
/** Characters of one tool call's JSON arguments; enough for the content of a long file. */
export const maxArguments = 4 * million
/** Characters of invalid JSON arguments that are stored and shown to the model. */
export const maxBrokenArguments = 10 * thousand
/** Tool calls in one answer; models usually make one to ten. */
export const maxToolCalls = 128
/** Alternating blocks of text and thinking in one answer. */
export const maxParts = 2000
/** Models listed by one provider; the largest router lists several hundred. */
export const maxModels = 5000
/** Tools of one MCP server, and pages of its tool list. Every request to a model includes all tools. */
export const maxTools = 500
export const maxToolPages = 50
export const maxToolDescription = 10 * thousand

/** Characters of a captured request body, images excluded; larger than any context window. */
export const maxCapturedRequest = 8 * million
/** Characters of a base64 image in a captured request; enough to detect its type. */
export const maxCapturedImage = 64

const kibi = 1024
const mebi = 1024 * kibi

/** Bytes of one WebSocket message; fits the largest file with its base text. The client refuses larger requests. */
export const maxMessageBytes = 45 * mebi

/** Bytes of one server-sent event; fits the arguments of a tool call in one piece. */
export const maxEventBytes = 8 * mebi
/** Bytes of one streamed answer; each token is an event of about 200 bytes. */
export const maxStreamBytes = 64 * mebi
export const maxListBytes = 8 * mebi
/** Bytes of an embedding response; below a batch of 2,048 vectors with 3,072 dimensions, which no provider accepts. */
export const maxVectorBytes = 64 * mebi
/** Bytes read of a provider's error response; the error message is in the first lines. */
export const maxErrorBytes = 64 * kibi
/** Bytes of one MCP message; fits images of several MB. The official SDK has the same limit for stdio servers. */
export const maxToolMessageBytes = 10 * mebi

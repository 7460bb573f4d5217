/**
 * English stop words. Written for questions about one's own notes and compared with the English list of stopwords-iso
 * 1.1.0 (MIT). Entries of that list with a meaning in notes ("computer", "system", "numbers") are left out, and
 * phrases common in questions are added. Words may be listed in any form: their stems are compared.
 */

export const englishFunctionWords = `
a about above after again against all also am an and any anybody anyone anything are aren as at be because been before being below between both
but by can cannot could couldn did didn do does doesn doing don down during each either else ever every everything few for from further get go
gonna got had hadn has hasn have haven having he her here hers herself him himself his how however i if in into is isn it its itself just ll me
more most much my myself neither no nor not nothing now of off oh ok okay on once one only or other our ours ourselves out over own per please re
s same shall shan she should shouldn since so some somebody somehow someone something such t than that the their theirs them themselves then there
these they this those though through thus till to too under unless until up upon us ve very via was wasn we were weren what whatever when whenever
where wherever whether which whichever while who whoever whom whose why will with within without won would wouldn yet you your yours yourself
yourselves tell know say said let thing
`

export const englishFillerWords = `
able according actually activity advice agree ago always amount answer anyway apparently area around ask aspect away back basically bit bring
brought call came case cause certain come concern consider context correct couple course current currently day days describe description detail
detailed details different difficulty discuss discussion done either end enough especially etc event exact exactly example explain fact feel find
first following gave general generally give goal good great guess happen happened help hope idea important include information instance instead
interest involve issue item keep kind last lately later least like likely list little long look lot made main mainly make manage many matter may
maybe mean mention mentioned might mind moment need never new next number often old opinion order original overall part particular particularly
people perhaps person phrase place plan point possible possibly potential previous previously probably provide put question quite rather ready
really reason recall recent recently recommend regard regarding related remember remind response right roughly seem several share show similar
situation small something sometime sometimes somewhere soon sort specific specifically start started state still stuff suggest suggestion summary
summarize summarise supposed sure take taken talk talked than thank thanks think thought time times together told took topic total toward towards
tried try trying turn type typical typically use used using usually various want wanted way week well whole wonder word work wrote year years
yesterday today dr mr mrs prof
`

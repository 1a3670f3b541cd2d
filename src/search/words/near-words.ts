// Words of the same subject. `|` or a new line ends a group, and `_` joins the words of one name.

export const NEAR_WORDS = `
weather forecast temperature rain snow wind humidity storm climate sunny cloudy umbrella meteorology hurricane
flight airline airport plane airfare departure arrival boarding fly pilot aviation
hotel room booking reservation accommodation hostel resort airbnb motel lodging guesthouse
travel trip itinerary destination vacation tourism sightseeing attraction landmark holiday tour traveler abroad
restaurant menu dining dinner lunch breakfast eat cuisine reservation food takeout
recipe ingredient cook meal dish bake kitchen chef cuisine dinner
nutrition calorie diet protein vitamin healthy meal weight
fitness exercise workout gym muscle training yoga running strength
health medical symptom disease doctor patient treatment diagnosis hospital medicine therapy clinical
stock share market ticker equity nasdaq trading investor portfolio dividend quote wall_street
crypto bitcoin ethereum blockchain coin token wallet defi nft | currency exchange dollar euro yen rate convert forex
bank account transaction payment transfer balance iban
finance financial investment budget money fund economy economic accounting | tax income salary payroll
insurance claim policy premium | movie film cinema actor director imdb genre box_office netflix watch trailer oscar
tv show series episode season streaming netflix channel
music song artist album playlist spotify lyrics genre track band melody listen concert
instrument guitar piano midi chord melody | podcast episode audio listen
book novel author library read isbn literature publisher
news headline article journalist media press report breaking
soccer football goal league match team premier player fifa | basketball nba team player league game
baseball mlb team player | cricket match innings team player | tennis match tournament player
sport sports team league match score player tournament athlete championship | racing race driver lap formula
game gaming player xbox playstation steam esports level quest adventure | pokemon card deck
anime manga character episode | joke humor fun laugh pun | trivia quiz question fact
translate language english spanish french german chinese japanese multilingual foreign
word definition dictionary meaning synonym pronunciation vocabulary | text sentence paragraph content word writing
grammar spelling proofread writing | write writing essay article story content copywriting draft blog
email inbox mailbox gmail outlook newsletter attachment
message chat sms whatsapp telegram slack discord conversation | phone number call carrier sms dial
calendar event schedule meeting appointment date reminder availability
task project todo deadline kanban board productivity | note notes notebook memo knowledge
file folder path directory disk filesystem | document pdf page word file
spreadsheet excel sheet cell row column table | presentation slide powerpoint deck
image photo picture visual camera gallery portrait | image generation art drawing illustration dall midjourney artwork
video youtube clip footage streaming movie vimeo tiktok watch | audio sound voice recording speech mp3
face facial recognition detection | ocr scan text image | design logo color palette layout graphic brand
chart graph plot visualization diagram data
map location geocoding place address latitude longitude coordinates distance
route directions distance traffic drive navigation commute | train station railway departure timetable
bus transit station stop timetable | car vehicle vin driver engine model manufacturer dealer
electric charging station ev | parking garage
house property real_estate apartment rent mortgage listing realtor bedroom zillow buy
job career resume employer salary interview recruiter hiring linkedin vacancy
company business corporate firm organization enterprise startup
product price shop store amazon ebay walmart buy catalog cart checkout ecommerce | deal coupon discount cashback sale
gift present birthday | fashion clothes outfit style dress wear | beauty makeup skincare cosmetics
social instagram facebook twitter tiktok post profile follower | influencer follower engagement profile
reddit subreddit post thread | youtube video channel subscriber | event concert festival ticket venue
education learn school course student lesson study tutor teaching university
math equation algebra calculate formula solve geometry | science physics chemistry biology scientific
research paper arxiv journal citation academic literature pubmed scholar | history historical ancient timeline past
religion bible verse prayer scripture | astrology horoscope zodiac tarot birth
space nasa astronomy planet star satellite mars | animal pet dog cat wildlife breed | plant garden flower tree
energy electricity solar power grid | environment carbon emission climate sustainability pollution green
law legal court lawyer attorney case statute | government congress senate bill politics policy election
crime police criminal safety | security vulnerability malware threat attack phishing scan
password hash encrypt security | domain dns whois hostname registrar | ip address geolocation network
network router firewall bandwidth ping | website url page web html site browser
browser tab click navigate screenshot page | scrape crawl html web page content
seo keyword ranking backlink google traffic | marketing campaign advertising audience ads
customer crm lead contact sales support | sales revenue customer deal | survey form question response
code program function software developer programming script compile | python javascript java typescript rust code
git repository commit branch github gitlab | issue bug ticket jira tracker | pull_request review merge branch
deploy hosting server release cloud | docker container image registry | kubernetes cluster pod deployment namespace
cloud aws azure gcp bucket instance | database sql table query schema postgres mysql mongodb
monitoring metrics alert dashboard log observability | log error trace debug | test testing qa assertion
api endpoint request rest webhook | ai model prompt gpt llm chatgpt assistant | search google web engine results bing
knowledge wikipedia encyclopedia fact | time timezone clock date hour | date day calendar holiday
unit convert measurement metric | random number generator dice | qr barcode code scan | name gender nationality baby
dating relationship love partner match | mental stress anxiety meditation therapy mindfulness mood
sleep relax meditation | kid child children parent educational | wedding party celebration
alcohol wine beer cocktail | coffee tea drink | grocery supermarket food
package tracking delivery shipment courier parcel shipping | print printing printer
home smart device light thermostat | iot sensor device | robot automation workflow
chemistry molecule compound element | gene protein dna genome biology | drug medicine dosage pharmacy
covid coronavirus pandemic vaccine cases | air quality pollution | earthquake tsunami volcano disaster
ocean sea tide surf wave beach | ski snow mountain resort slope | hiking trail outdoor park camping | fishing fish
golf course | chess opening move | lottery jackpot draw | betting odds bookmaker bet | poem poetry rhyme verse
story plot character fiction narrative novel | speech presentation talk | interview question answer
survey opinion poll | population country city census demographics | country capital flag continent
school district college university campus | paris lyon france french | london manchester england uk british
tokyo osaka kyoto japan japanese | sydney melbourne brisbane perth australia | berlin munich hamburg germany german
rome milan venice florence italy italian | madrid barcelona spain spanish | beijing shanghai shenzhen china chinese
hong_kong taiwan asia | seoul busan korea korean | mumbai delhi bangalore india indian
toronto vancouver montreal canada | new_york chicago boston los_angeles san_francisco seattle texas california usa
amsterdam netherlands dutch | singapore asia | dubai uae | moscow russia | istanbul turkey | bangkok thailand
bali jakarta indonesia | rio sao_paulo brazil | netflix hulu disney movie show streaming
spotify soundcloud music playlist | airbnb vrbo accommodation rental | uber lyft taxi ride
amazon ebay walmart shopping product | gmail outlook email | zoom teams meeting video_call
slack discord telegram whatsapp message channel | trello asana task board project | jira linear issue ticket
notion evernote note page | figma sketch design | photoshop canva image design editing
stripe paypal payment checkout | shopify woocommerce store ecommerce product | twitter tweet x post
tesla ev car electric | kayak expedia booking skyscanner flight hotel travel | opentable yelp restaurant review
doordash grubhub food delivery | instacart grocery food | zillow redfin property real_estate
indeed linkedin glassdoor job career | coursera udemy course learning education
wikipedia wikidata knowledge encyclopedia | steam xbox playstation nintendo game | twitch stream gaming
postgres mysql sqlite mongodb redis database | snowflake bigquery warehouse data
elasticsearch opensearch search index | kafka rabbitmq queue message | terraform ansible infrastructure cloud
jenkins circleci pipeline build | sentry datadog grafana prometheus monitoring error metrics
cloudflare vercel netlify hosting deploy website | openai anthropic claude gemini gpt ai model
salesforce hubspot crm customer | mailchimp sendgrid campaign email | twilio sms phone call
supabase firebase backend database | wordpress blog website cms post | playwright puppeteer selenium browser page
christmas easter halloween thanksgiving holiday celebration | gift present birthday christmas anniversary shopping
learn lesson study teach course practice tutorial beginner skill | math calculate wolfram equation computation
creative inspiration idea brainstorm | roleplay character simulation story adventure game
entertainment fun movie game music show | motivation inspiration quote goal habit | goal habit productivity tracker
parent child baby kid family | toddler nursery kid education | dress outfit suit shirt clothes wardrobe
cook chef oven recipe kitchen | vegetarian vegan recipe diet | wine pairing vineyard | bar cocktail nightlife
photo edit filter retouch enhance | upscale enhance resolution image | sound effect audio noise
voice speech speak tts accent | caption subtitle transcript video | presentation pitch slide speaker
marketing slogan brand advertisement copywriting | blog seo content article | product review rating customer
competitor market research analysis | startup business idea entrepreneur | legal contract agreement clause
visa immigration passport embassy | scholarship university admission college | exam test quiz grade
thesis paper citation research | patent invention trademark | investment stock fund crypto portfolio return
mortgage loan interest rate payment | retirement pension savings | inflation gdp economy unemployment indicator
earnings revenue filing balance_sheet quarter | candlestick price chart technical indicator
news sentiment stock market | house rent apartment tenant lease neighborhood | furniture room interior decor
repair maintenance mechanic fix | vin recall vehicle | fuel petrol diesel gas station price
traffic commute road route | parking car lot | cruise ship port | museum exhibition art gallery
theater musical play ticket | camp tent outdoor hike | weather wind wave surf sail | garden plant seed soil
dog breed puppy vet pet | bird wildlife species | fish aquarium | farm crop agriculture soil
wildfire flood storm disaster alert | police crime safety emergency | vaccine virus infection disease
pregnancy baby birth | dentist teeth oral | cancer tumor oncology clinical | surgery hospital doctor
blood pressure heart rate | symptom diagnosis illness | anxiety depression counseling therapy
meditation breathing calm | dream interpretation meaning | tarot fortune reading card
zodiac sign compatibility horoscope | bible church sermon faith | quran hadith islam | philosophy wisdom quote
joke meme gif funny | riddle puzzle brain | chess checkers board game | poker blackjack casino card
dice roll rpg dungeon | minecraft roblox fortnite game | league champion esports | crossword word puzzle wordle
emoji sticker reaction | color palette hex theme | font typography text | icon svg vector logo
wallpaper background image | diagram flowchart mermaid mindmap | mindmap brainstorm idea | timeline history event
map route gps | satellite imagery earth | drone aerial | telescope star galaxy | rocket launch space
chemistry reaction molecule | physics force energy | biology cell organism | dna gene sequence
statistics probability data regression | dataset csv data table | machine_learning model training prediction
vector embedding similarity search | prompt instruction llm | agent automation task | screenshot capture page
pdf merge convert page | zip archive compress file | backup restore snapshot | encrypt decrypt key
certificate ssl domain | ping port network scan | proxy vpn ip | email verify validate address
phone validate carrier number | address validate postal | spam phishing fraud | captcha bot
login password user account | permission role access | audit log activity | invoice billing payment
subscription plan billing | cart order checkout | inventory warehouse stock | shipping label carrier tracking
return refund order | customer support ticket help | chat bot support | feedback review survey
meeting transcript note summary | calendar availability slot meeting | reminder alarm notification
timer pomodoro focus | todo list checklist | habit tracker daily | journal diary mood | note markdown vault
bookmark link save | read article summary | rss feed news | podcast transcript episode | youtube transcript summary
book summary chapter | lyrics chord song | concert tour artist | radio station broadcast | dj remix mix
karaoke sing song | dance choreography | movie recommendation similar | actor filmography cast
box_office gross movie | anime recommendation | comic superhero marvel | celebrity gossip actor | royal king queen
president government leader | parliament law bill | election candidate poll | census statistics population
country flag currency | holiday public date | timezone meeting convert | sunrise sunset time | tide moon
lottery number | password generator random | uuid random generator | lorem placeholder text | hash md5 sha
base64 encode decode | json format validate | regex match pattern | sql generate query | cron expression schedule
unit length weight convert | recipe nutrition calorie
`

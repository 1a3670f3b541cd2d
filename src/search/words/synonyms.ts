// Lists of synonyms in groups. `|` or a new line ends a group, and `_` joins the words of one name.

/** Words with the same meaning. */
export const SAME_WORDS = `
repo repository | pr pull_request merge_request mr | db database | email mail e_mail | msg message | dm direct_message
pic picture photo photograph image img | video clip | vid video | doc document | dir directory folder
config configuration settings setting preferences | env environment | var variable | param parameter argument
app application | auth authentication authorization | login signin sign_in logon log_in
logout signout sign_out log_out | signup sign_up register registration | pwd password passcode passphrase
creds credentials | admin administrator | user account member | org organization organisation company
dept department | mgmt management | info information | spec specification | desc description | stats statistics
calc calculate compute calculation calculator | diff difference compare comparison | max maximum | min minimum
avg average mean | num number | qty quantity | amt amount | temp temperature | approx approximate | lang language
loc location place | geo geographic geographical geolocation location
coords coordinates latitude longitude lat lng lon | addr address | tel telephone phone
mobile cellphone cell_phone smartphone phone | sms text_message | url link uri hyperlink
website site webpage web_page web | web internet online | http request | k8s kubernetes | js javascript
ts typescript | py python | ml machine_learning | ai artificial_intelligence | llm language_model
nlp natural_language text_analysis | ocr text_recognition | tts text_to_speech speech_synthesis
stt speech_to_text transcription transcribe | qr qrcode qr_code | pdf document | csv spreadsheet
xls xlsx excel spreadsheet | ppt pptx powerpoint presentation slides slideshow slide deck | docx word_document
sql query | vm virtual_machine instance | ci continuous_integration pipeline | ip ip_address | dns domain_name
ssl tls certificate | vpn proxy | crypto cryptocurrency bitcoin coin token | btc bitcoin | eth ethereum
nft token collectible | fx forex exchange_rate | usd dollar | eur euro | gbp pound | yt youtube | fb facebook
ig insta instagram | tv television | imdb movie | movie film cinema | song track music | lyric song
singer artist musician band | album record | show series | mins minutes | hrs hours | secs seconds
ad advert advertisement advertising commercial | promo promotion | coupon voucher discount_code promo_code
deal discount offer bargain sale | cheap cheapest affordable inexpensive budget low_cost | expensive costly
price cost pricing fee rate | buy purchase order shop | store shop retailer | product item
shopping ecommerce e_commerce | invoice bill receipt | salary wage pay compensation
job career employment vacancy position occupation | jobs vacancies | resume cv curriculum_vitae
hire recruit hiring recruitment | employee staff worker personnel | boss manager | lawyer attorney legal
law legal legislation legislative | contract agreement | doctor physician | medicine drug medication pharmaceutical
illness disease sickness condition | hospital clinic | workout exercise fitness training | gym fitness
diet nutrition | food meal dish cuisine | recipe cooking cook | restaurant dining eatery | drink beverage
cocktail drink | hotel accommodation lodging stay | apartment flat | house home property real_estate
rent rental lease | car vehicle automobile auto | automotive vehicle car | petrol gas fuel gasoline
flight plane airplane aircraft airline | trip travel journey tour vacation holiday itinerary | traveler tourist
train railway rail | bus transit | subway metro | directions route navigation | map maps mapping cartography
nearby closest nearest | city town municipality | country nation | state province region
zip zipcode zip_code postal_code postcode | weather forecast climate meteorological | rain precipitation
earthquake quake seismic | news headline article | newspaper press | article post | blog post article | book novel
author writer | poem poetry | story tale fiction | joke humor humour funny comedy | quote quotation saying
meme funny | game gaming | player gamer | soccer football | match game fixture | score result
standings league_table ranking | team club squad | nba basketball | nfl football | mlb baseball | nhl hockey
f1 formula_1 racing | horoscope astrology zodiac | tarot divination | dream dreaming | gift present | event happening
concert gig live_music | calendar schedule agenda | meeting appointment | reminder remind alert | task todo to_do
note memo | kid child children | baby infant | teen teenager | pet animal | dog puppy canine | cat kitten feline
university college school | course class lesson curriculum | student learner pupil | teacher tutor instructor
homework assignment | exam test quiz | math maths mathematics mathematical arithmetic
paper research_paper publication study | scholar academic scholarly | science scientific
translate translation translator | dictionary definition vocabulary | synonym thesaurus
grammar proofreading spelling | summary summarize summarise summarization summarizing tldr abstract
rewrite rephrase paraphrase reword | shorten abbreviate | essay article | speech voice | audio sound
transcript subtitles captions caption | logo brand | avatar profile_picture | drawing draw sketch illustration
painting art artwork | diagram chart graph plot visualization visualize visualise | flowchart diagram | color colour
font typeface | code coding program programming software | developer programmer engineer | script code
bug defect error issue | bugfix fix | debug troubleshoot diagnose | deploy deployment release | build compile
release version | library package module dependency | framework library | hosting host | server backend | frontend ui
ui interface | backup copy | restore recover | delete remove erase destroy drop | create add new make
generate create produce | insert add | update edit modify change alter | upgrade update | rename change_name
replace substitute | get fetch retrieve read obtain | list show display enumerate | view show display see
search find lookup look_up query | search discover | browse explore | download save | upload import | export save
send deliver post | share distribute | publish post | reply respond answer | notify alert notification
subscribe follow | unsubscribe unfollow | cancel abort stop | start run launch begin | execute run | restart reboot
pause suspend | enable activate turn_on | disable deactivate turn_off | check verify validate
verify validate confirm | verification validation | monitor track watch | parcel package shipment delivery
shipping shipment delivery courier | convert transform conversion converter | merge combine join
split divide separate | filter select | sort order rank | group cluster | extract parse | scrape crawl extract
analyze analyse analysis analytics insights | evaluate assess assessment evaluation | review feedback opinion
rating score stars | recommend suggest recommendation suggestion | compare versus | encrypt encryption cipher
decrypt decryption | hash checksum digest | compress zip | resize scale | crop trim | screenshot capture snapshot
record recording | permission access privilege | role permission | block ban | spam junk | malware virus threat
vulnerability cve exploit | hack breach | fraud scam | leak breach | stock share equity ticker | portfolio holdings
dividend payout | earnings revenue income | profit margin | invest investment investing investor | trade trading
bank banking | loan credit mortgage | debt loan | tax taxes | insurance policy coverage | budget spending expense
savings saving | money cash funds currency | payment pay transaction | wallet balance | donate donation charity
nonprofit charity | chat conversation messaging | chatbot bot assistant | friend contact | follower subscriber
hashtag tag | trending trend popular | tweet twitter | influencer creator | podcast episode | playlist mix
radio station | stream streaming | anime manga | comic comics | actor actress cast | trailer preview | poster image
lottery lotto | bet betting odds gambling | chess board_game | puzzle riddle trivia | word_game crossword
dice random | username handle | id identifier | key api_key | token access_token | log logs logging | trace tracing
metric metrics measurement | dashboard overview | report summary | issue ticket | bug_report issue | commit revision
branch fork | milestone release | label tag | comment remark | column field | table relation | row record
schema structure | container docker | pod container | queue topic | bucket storage | cloud aws azure gcp
drive storage | form survey questionnaire | survey poll | customer client | lead prospect | crm customer
seo search_engine | marketing promotion | domain hostname | whois domain | carbon emission emissions footprint co2
energy electricity power | solar sun | air_quality pollution aqi | astronomy space | planet astronomy | moon lunar
sunrise sunset | satellite orbit | plant gardening garden | flower plant | wine beer | coffee cafe | beer brewery
calorie calories nutrition | allergy allergen | vegan vegetarian | grocery supermarket groceries
makeup cosmetics beauty | hair hairstyle | outfit clothes clothing fashion wear apparel wardrobe
shoe shoes sneaker footwear | jewelry jewellery | furniture decor interior | gadget device electronics
laptop computer pc | wedding marriage | birthday anniversary | religion religious | bible scripture verse
quran islamic | prayer pray | church parish | history historical past | politics political government
election vote voting | senator congress congressional representative | immigration visa | passport visa
census population demographic demographics | mental therapy psychological | meditation mindfulness relaxation
sleep insomnia | pregnancy pregnant | psychology psychological | personality character | love romance romantic dating
relationship dating | learn study | teach educate instruct | relax unwind | fix repair mend | sell resell
ride taxi cab uber lyft | eat dine | pronounce pronunciation | explain clarify explanation | solve solution solver
predict forecast prediction | detect recognize identify detection recognition identification
classify categorize classification | improve enhance optimize optimise enhancement optimization
motivate motivation inspire inspiration | customize personalize | simulate simulation simulator
talk speak chat converse conversation | entertain entertainment amuse | book reserve booking reservation
automate automation automatic | slogan tagline | scholarship grant funding | regulation compliance | patent trademark
dentist dental | animation animate gif | mentor coach coaching | counselor therapist counseling
emotion sentiment mood | bike bicycle cycling | motorcycle motorbike | truck lorry | boat ship vessel yacht
theater theatre | height elevation altitude | percentage percent | historical history past | antonym opposite
emoji emoticon | timezone time_zone | cron schedule | license licence permit | genealogy ancestry
leaderboard ranking | markdown md | barcode upc ean | vendor supplier seller | valuation worth | etf fund
inflation cpi | electric ev | museum exhibition | hike hiking trek | wildfire fire | flood flooding
australia australian aussie aus | uk united_kingdom britain british england english
usa america american united_states | china chinese | japan japanese | germany german | france french | spain spanish
italy italian | india indian hindi | canada canadian | korea korean | brazil brazilian portuguese | mexico mexican
russia russian | netherlands dutch | sweden swedish | turkey turkish | poland polish | norway norwegian
denmark danish | finland finnish | switzerland swiss | ireland irish | scotland scottish | europe european eu
asia asian | africa african | israel hebrew | arab arabic | vietnam vietnamese | thailand thai | indonesia indonesian
philippines filipino | ukraine ukrainian | greece greek | nyc new_york | christmas xmas
`

/** Words of the same subject. */
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

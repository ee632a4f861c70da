<?php
// Laravel in one file, from Debian's php-laravel-framework. A project that "composer create-project" made has all of it:
// copy the other files into yours, these four values of services.coinslot into config/services.php, and exempt
// hooks/coinslot from the protection against CSRF in bootstrap/app.php.

if ($_SERVER['REQUEST_URI'] === '/shop.css') {
    return false;
}
require_once 'Illuminate/autoload.php';
require_once 'GuzzleHttp/autoload.php';
spl_autoload_register(function (string $class): void {
    if (str_starts_with($class, 'App\\')) {
        require dirname(__DIR__) . '/app/' . strtr(substr($class, 4), '\\', '/') . '.php';
    }
});

$state = getenv('SHOP_STATE') ?: dirname(__DIR__) . '/storage';
is_dir("$state/views") || mkdir("$state/views", 0700, true);
[$_ENV['APP_PACKAGES_CACHE'], $_ENV['APP_SERVICES_CACHE']] = ["$state/packages.php", "$state/services.php"];

$app = new Illuminate\Foundation\Application(dirname(__DIR__));
$app->useStoragePath($state);
$app->detectEnvironment(fn () => 'production');
$app->instance('config', new Illuminate\Config\Repository([
    'services' => ['coinslot' => [
        'url' => getenv('COINSLOT_URL') ?: 'http://localhost:8080',
        'key' => getenv('COINSLOT_SECRET_KEY'),
        'webhook_secret' => getenv('COINSLOT_WEBHOOK_SECRET'),
        'test' => getenv('SHOP_TEST') === '1',
    ]],
    'app' => ['url' => getenv('SHOP_URL') ?: 'http://127.0.0.1:3000', 'debug' => false, 'timezone' => 'UTC', 'locale' => 'en', 'fallback_locale' => 'en', 'aliases' => [], 'providers' => [
        Illuminate\Database\DatabaseServiceProvider::class,
        Illuminate\Filesystem\FilesystemServiceProvider::class,
        Illuminate\Foundation\Providers\FoundationServiceProvider::class,
        Illuminate\Translation\TranslationServiceProvider::class,
        Illuminate\View\ViewServiceProvider::class,
    ]],
    'database' => ['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' => "$state/shop.db", 'prefix' => '']]],
    'logging' => ['default' => 'errorlog', 'channels' => ['errorlog' => ['driver' => 'errorlog']]],
    'view' => ['paths' => [dirname(__DIR__) . '/resources/views'], 'compiled' => "$state/views"],
]));
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);
$app->booted(function () use ($state): void {
    if (!is_file("$state/shop.db")) {
        touch("$state/shop.db");
        Illuminate\Support\Facades\DB::unprepared(file_get_contents(dirname(__DIR__) . '/database/schema/sqlite-schema.sql'));
    }
    require dirname(__DIR__) . '/routes/web.php';
});
$kernel = new class($app, $app['router']) extends Illuminate\Foundation\Http\Kernel {
    protected $bootstrappers = [
        Illuminate\Foundation\Bootstrap\HandleExceptions::class,
        Illuminate\Foundation\Bootstrap\RegisterFacades::class,
        Illuminate\Foundation\Bootstrap\RegisterProviders::class,
        Illuminate\Foundation\Bootstrap\BootProviders::class,
    ];
};
$kernel->handle(Illuminate\Http\Request::capture())->send();

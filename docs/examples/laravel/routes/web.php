<?php
use App\Http\Controllers\ShopController;
use Illuminate\Support\Facades\Route;

Route::get('/', fn () => view('shop', ['goods' => ShopController::GOODS, 'number' => bin2hex(random_bytes(8))]));
Route::post('/orders', [ShopController::class, 'buy']);
Route::get('/orders/{number}/{thanks?}', [ShopController::class, 'show'])->where('thanks', 'thanks');
Route::post('/hooks/coinslot', [ShopController::class, 'webhook']);
